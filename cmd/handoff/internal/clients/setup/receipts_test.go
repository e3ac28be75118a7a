//go:build unix

package setup_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// Several paths lead to the same project.
func TestReceipt_IsFoundThroughLink(t *testing.T) {
	for name, first := range map[string]bool{"set up through it": true, "removed through it": false} {
		t.Run(name, func(t *testing.T) {
			w, cursor := worldWith(t, "cursor")
			w.desired.Scope = client.Project
			project := w.desired.Machine.Project
			link := project + "-link"
			require.NoError(t, os.Symlink(project, link))
			through := map[bool]string{true: link, false: project}
			for _, text := range []string{"", mine} {
				if text != "" {
					w.write(filepath.Join(project, ".cursor", "mcp.json"), text, 0o600)
				}
				w.desired.Machine.Project = through[first]
				w.desired.Server.Trust = true
				w.apply(cursor)
				w.desired.Machine.Project = through[!first]
				require.True(t, w.WithLastOptions(cursor, w.desired).Server.Trust)
				require.True(t, of(t, w.PlanUndo(cursor, w.desired), w.servers(cursor)).Exact)
				w.revert(cursor)
				if text == "" {
					require.Empty(t, tree(t, project))
				} else {
					w.requireText(text, w.servers(cursor))
				}
				require.Empty(t, w.receipts())
			}
		})
	}
}

func TestApplyUndo_RemovesFoldersOfDeletedFile(t *testing.T) {
	w, vscode := worldWith(t, "vscode")
	path := w.servers(vscode)
	w.apply(vscode)
	w.desired.Server.Command = []string{"/opt/handoff", "mcp"}
	w.apply(vscode) // makes a copy
	require.NoError(t, os.Remove(path))
	w.revert(vscode)
	require.Empty(t, tree(t, w.desired.Machine.Home))
	require.Empty(t, w.receipts())
}

// The copy of a file stays if the user deletes the file.
func TestApplyUndo_KeepsCopyOfDeletedFile(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	require.NoError(t, os.Remove(path))
	w.revert(cursor)
	left := beside(t, path)
	require.Len(t, left, 1)
	w.requireText(mine, filepath.Join(filepath.Dir(path), left[0]))
}

// Others may have written a receipt. Removal removes only files that setup makes.
func TestApplyUndo_IgnoresForeignPathsInReceipt(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, mine, 0o600)
	w.apply(cursor)
	home := w.desired.Machine.Home
	stays := []string{filepath.Join(home, "thesis.txt"), filepath.Join(home, "mcp.json.handoff-backup-1"), filepath.Join(filepath.Dir(path), "mcp.json.mine")}
	for _, name := range stays {
		w.write(name, "mine", 0o600)
	}
	folder := filepath.Join(home, "empty")
	require.NoError(t, os.Mkdir(folder, 0o700))
	stays = append(stays, folder)

	kept := filepath.Join(w.Dir, w.receipts()[0])
	var receipt map[string]any
	require.NoError(t, json.Unmarshal([]byte(w.read(kept)), &receipt))
	backups, _ := receipt["backups"].([]any)
	receipt["backups"] = append(backups, any(stays[0]), any(stays[1]), any(stays[2]), any(folder))
	receipt["folders"] = []string{folder, stays[0]}
	text, err := json.Marshal(receipt)
	require.NoError(t, err)
	w.write(kept, string(text), 0o600)
	w.revert(cursor)
	w.requireText(mine, path)
	for _, name := range stays {
		_, err := os.Stat(name)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"mcp.json", "mcp.json.mine"}, beside(t, path))
}

// Setup removes a directory that it made after the last file in it is gone, in the reverse order of its making.
func TestApplyUndo_LastFileRemovesSharedFolders(t *testing.T) {
	w := newWorld(t)
	w.apply(known(t, "vscode"))
	w.apply(known(t, "opencode"))
	w.revert(known(t, "opencode"))
	require.NotEmpty(t, tree(t, w.desired.Machine.Home))
	w.revert(known(t, "vscode"))
	require.Empty(t, tree(t, w.desired.Machine.Home))
	require.Empty(t, w.receipts())
}

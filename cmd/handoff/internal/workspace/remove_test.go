package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// allFiles lists the possible files in the directory of a workspace.
var allFiles = []string{
	"handoff.db", "handoff.db.before", "handoff.db.restoring", "handoff.here", "handoff.log", "handoff.log.1", "handoff.new", "handoff.sock", "owner.json", "owner.json.new",
	"project.json", "project.json.123", "handoff.lock",
}

func (w world) withAllFiles(project string) workspace.Workspace {
	w.t.Helper()
	found := w.openedRepository(project)
	for _, name := range allFiles {
		require.NoError(w.t, os.WriteFile(filepath.Join(found.Dir, name), nil, 0o600))
	}
	return found
}

func TestRemove_DeletesAllFilesOfHandoff(t *testing.T) {
	w := newWorld(t)
	shop, api := w.withAllFiles("shop"), w.withAllFiles("api")
	deleted, err := workspace.Remove(shop)
	require.NoError(t, err)
	require.Equal(t, allFiles, deleted, "the lock last")
	require.NoDirExists(t, shop.Dir)
	require.Len(t, fileNames(t, api.Dir), len(allFiles))
}

func TestRemove_StopsAtForeignFile(t *testing.T) {
	for _, name := range []string{"notes.txt", "handoff.db.backup", ".hidden", "handoff.logbook"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			shop := w.withAllFiles("shop")
			require.NoError(t, os.WriteFile(filepath.Join(shop.Dir, name), nil, 0o600))
			deleted, err := workspace.Remove(shop)
			require.Empty(t, deleted)
			require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
			require.ErrorContains(t, err, "handoff did not make "+name)
			require.Len(t, fileNames(t, shop.Dir), len(allFiles)+1)
		})
	}
}

func TestRemove_StopsAtDirectory(t *testing.T) {
	w := newWorld(t)
	shop := w.openedRepository("shop")
	require.NoError(t, os.MkdirAll(filepath.Join(shop.Dir, "project.json.d", "x"), 0o700))
	_, err := workspace.Remove(shop)
	require.ErrorContains(t, err, "handoff did not make project.json.d")
	require.FileExists(t, filepath.Join(shop.Dir, "handoff.db"))
}

func TestRemove_FollowsNoLink(t *testing.T) {
	w := newWorld(t)
	shop, api := w.openedRepository("shop"), w.openedRepository("api")
	kept := filepath.Join(api.Dir, "handoff.db")
	require.NoError(t, os.Symlink(kept, filepath.Join(shop.Dir, "handoff.log")))
	_, err := workspace.Remove(shop)
	require.NoError(t, err)
	require.FileExists(t, kept)

	require.NoError(t, os.Symlink(api.Dir, shop.Dir))
	_, err = workspace.Remove(shop)
	require.ErrorContains(t, err, "is no directory")
	require.FileExists(t, kept)
}

func TestMove_KeepsFilesAndSetsProject(t *testing.T) {
	w := newWorld(t)
	was, now := w.withAllFiles("shop"), w.at(w.repository("store"))
	require.NoError(t, workspace.Move(was, now))
	require.NoDirExists(t, was.Dir)
	require.Len(t, fileNames(t, now.Dir), len(allFiles))
	require.Equal(t, now.Project, workspace.RecordedProject(now))
	require.ErrorContains(t, workspace.Move(was, now), "rename workspace "+was.Name)
}

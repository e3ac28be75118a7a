//go:build unix

package setup_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

func TestPlanSetup_LeavesUnusualFilesAlone(t *testing.T) {
	const text = `{"mcpServers": {}}`
	for name, tt := range map[string]struct {
		make func(w *world, path string)
		why  string
	}{
		"read-only": {func(w *world, path string) { w.write(path, text, 0o444) }, "read-only"},
		"huge":      {func(w *world, path string) { w.write(path, text+strings.Repeat(" ", installed.LargestOwn), 0o600) }, "bytes"},
		"directory": {func(w *world, path string) { require.NoError(w.t, os.MkdirAll(path, 0o700)) }, "no file"},
		"pipe":      {func(w *world, path string) { require.NoError(w.t, syscall.Mkfifo(path, 0o600)) }, "no file"},
		"link to nothing": {func(w *world, path string) {
			require.NoError(w.t, os.Symlink(filepath.Join(w.desired.Machine.Home, "nowhere"), path))
		}, "does not exist"},
		"hard link": {func(w *world, path string) {
			w.write(path, text, 0o600)
			require.NoError(w.t, os.Link(path, path+".too"))
		}, "another name"},
		"deep":           {func(w *world, path string) { w.write(path, strings.Repeat("[", 1<<20), 0o600) }, "nested deeper"},
		"link to itself": {func(w *world, path string) { require.NoError(w.t, os.Symlink(path, path)) }, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			w, cursor := worldWith(t, "cursor")
			path := w.servers(cursor)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			tt.make(w, path)
			before := tree(t, w.desired.Machine.Home)
			change := of(t, w.PlanSetup(cursor, w.desired), path)
			require.ErrorContains(t, change.Err, tt.why)
			require.Empty(t, change.Diff())
			require.Contains(t, change.Snippet().Text, `"handoff": {`)
			require.Error(t, of(t, w.PlanUndo(cursor, w.desired), path).Err)
			require.Equal(t, before, tree(t, w.desired.Machine.Home))
		})
	}
}

func TestApply_KeepsLink(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path, target := w.servers(cursor), filepath.Join(w.desired.Machine.Home, "dotfiles", "mcp.json")
	w.write(target, `{"mcpServers": {}}`, 0o604)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.Symlink(filepath.Join("..", "dotfiles", "mcp.json"), path))
	w.apply(cursor)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	require.Contains(t, w.read(target), `"handoff"`)
	requireMode(t, target, 0o604)
	w.revert(cursor)
	w.requireText(`{"mcpServers": {}}`, target)
}

func TestApplyUndo_RemovesNewFilesAndFolders(t *testing.T) {
	for _, c := range client.All() {
		for _, scope := range []client.Scope{client.User, client.Project} {
			t.Run(c.Name+" "+string(scope), func(t *testing.T) {
				w := newWorld(t)
				w.desired.Scope = scope
				if w.apply(c); w.servers(c) == "" {
					return // projects have no list
				}
				mode := map[client.Scope]os.FileMode{client.User: 0o600, client.Project: 0o644}[scope]
				requireMode(t, w.servers(c), mode)
				w.revert(c)
				require.Empty(t, tree(t, w.desired.Machine.Home))
				require.Empty(t, tree(t, w.desired.Machine.Project))
				require.Empty(t, w.receipts())
			})
		}
	}
}

func TestApply_CopiesAndReceiptsArePrivate(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	w.write(w.servers(cursor), `{}`, 0o644)
	change := of(t, w.PlanSetup(cursor, w.desired), w.servers(cursor))
	backup, err := w.Apply(change)
	require.NoError(t, err)
	require.Equal(t, w.servers(cursor)+".handoff-backup-20260131-120000", backup)
	w.requireText(`{}`, backup)
	requireMode(t, backup, 0o600)
	requireMode(t, w.Dir, 0o700)
	for _, name := range w.receipts() {
		requireMode(t, filepath.Join(w.Dir, name), 0o600)
	}
}

const onFullDisk = "SETUP_TEST_FULL_DISK" // in the environment: the files of this process are limited

// Half a copy would look like a whole one. The limit holds for a process, so the test starts one.
func TestApply_RemovesIncompleteCopy(t *testing.T) {
	if os.Getenv(onFullDisk) == "" {
		alone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		alone.Env = append(os.Environ(), onFullDisk+"=yes")
		said, err := alone.CombinedOutput()
		require.NoError(t, err, string(said))
		return
	}
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, `{"a": "`+strings.Repeat("x", 4<<20)+`"}`, 0o600)
	change := of(t, w.PlanSetup(cursor, w.desired), path)
	limitFiles(t)
	_, err := w.Apply(change)
	require.ErrorContains(t, err, "back it up: ")
	require.Equal(t, []string{filepath.Base(path)}, beside(t, path))
}

// limitFiles makes writes fail beyond 1 MiB of a file, as on a full disk.
func limitFiles(t *testing.T) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = 1 << 20
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
}

func TestApply_LeavesChangedFileAlone(t *testing.T) {
	w, cursor := worldWith(t, "cursor")
	path := w.servers(cursor)
	w.write(path, `{}`, 0o600)
	change := of(t, w.PlanSetup(cursor, w.desired), path)
	w.write(path, `{"a": 1}`, 0o600)
	_, err := w.Apply(change)
	require.ErrorContains(t, err, "meanwhile")
	w.requireText(`{"a": 1}`, path)
	require.Len(t, beside(t, path), 1)
}

// The author of a project may have put links into it that lead to the user's own files.
func TestPlanSetup_RefusesLinkOutOfProject(t *testing.T) {
	for name, link := range map[string]func(w *world) (from, to string){
		"to a file":      func(*world) (from, to string) { return ".mcp.json", "own.json" },
		"to a directory": func(*world) (from, to string) { return ".claude", "." },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.desired.Scope = client.Project
			m := w.desired.Machine
			for _, file := range []string{"own.json", "settings.json"} {
				w.write(filepath.Join(m.Home, file), `{"secret": 1}`, 0o600)
			}
			from, to := link(w)
			require.NoError(t, os.Symlink(filepath.Join(m.Home, to), filepath.Join(m.Project, from)))
			claude := known(t, "claude-code")
			for _, change := range append(w.PlanSetup(claude, w.desired), w.PlanUndo(claude, w.desired)...) {
				rest, _ := filepath.Rel(m.Project, change.File.Path)
				if rest != from && filepath.Dir(rest) != from {
					continue
				}
				require.ErrorContains(t, change.Err, "a link leads out of the project")
				require.Contains(t, schemas.AsError(change.Err).Hint, "--scope user")
				require.Empty(t, change.File.Text)
				_, err := w.Apply(change)
				require.Error(t, err)
			}
			for _, change := range w.PlanSetup(claude, w.desired) {
				_, _ = w.Apply(change)
			}
			require.Equal(t, []string{"own.json", "settings.json"}, tree(t, m.Home))
			w.requireText(`{"secret": 1}`, filepath.Join(m.Home, "own.json"))
		})
	}
}

func TestPlanSetup_FollowsLinkWithinProject(t *testing.T) {
	w := newWorld(t)
	w.desired.Scope = client.Project
	m := w.desired.Machine
	w.write(filepath.Join(m.Project, "shared.json"), "{}", 0o600)
	require.NoError(t, os.Symlink("shared.json", filepath.Join(m.Project, ".mcp.json")))
	w.apply(known(t, "claude-code"))
	require.Contains(t, w.read(filepath.Join(m.Project, "shared.json")), "handoff")
}

package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/workspace"
)

// openedRepository returns the used workspace of a new repository.
func (w world) openedRepository(project string) workspace.Workspace {
	w.t.Helper()
	found := w.at(w.repository(project))
	require.NoError(w.t, os.MkdirAll(found.Dir, 0o700))
	require.NoError(w.t, os.WriteFile(filepath.Join(found.Dir, "handoff.db"), []byte("store"), 0o600))
	return found
}

func TestRecordProject_KeepsProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	w := newWorld(t)
	shop := w.openedRepository("shop")
	require.Empty(t, workspace.RecordedProject(shop))
	require.NoError(t, workspace.RecordProject(shop))
	require.Equal(t, filepath.Join(w.home, "shop", ".git"), workspace.RecordedProject(shop))

	file := filepath.Join(shop.Dir, "project.json")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	require.NoError(t, workspace.RecordProject(shop))
	again, err := os.Stat(file)
	require.NoError(t, err)
	require.True(t, os.SameFile(info, again), "what is known is not written again")

	shop.Project = "/elsewhere"
	require.NoError(t, workspace.RecordProject(shop))
	require.Equal(t, "/elsewhere", workspace.RecordedProject(shop))
	require.Len(t, fileNames(t, shop.Dir), 2, "nothing half-written is left")
}

func TestRecordProject_WritesNothingWithoutDirectory(t *testing.T) {
	w := newWorld(t)
	shop := w.at(w.repository("shop"))
	require.NoError(t, workspace.RecordProject(shop))
	require.NoDirExists(t, shop.Dir)
}

func TestRecordProject_IgnoresNamedWorkspace(t *testing.T) {
	w := newWorld(t)
	shop := w.openedRepository("shop")
	named, err := w.find(workspace.Config{Name: shop.Name})
	require.NoError(t, err)
	require.NoError(t, workspace.RecordProject(named))
	require.Equal(t, []string{"handoff.db"}, fileNames(t, shop.Dir))
}

func TestRecordedProject_IgnoresDamagedFile(t *testing.T) {
	w := newWorld(t)
	shop := w.openedRepository("shop")
	for _, content := range []string{"", "{", `{"project": 1}`, `{"project": "relative/path"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(shop.Dir, "project.json"), []byte(content), 0o600))
		require.Empty(t, workspace.RecordedProject(shop), content)
		require.NoError(t, workspace.RecordProject(shop))
		require.Equal(t, shop.Project, workspace.RecordedProject(shop))
	}
}

func TestRecordProject_ReportsWriteError(t *testing.T) {
	w := newWorld(t)
	shop := w.openedRepository("shop")
	require.NoError(t, os.MkdirAll(filepath.Join(shop.Dir, "project.json", "in the way"), 0o700))
	require.ErrorContains(t, workspace.RecordProject(shop), "remember the project: ")
	require.Equal(t, []string{"handoff.db", "project.json"}, fileNames(t, shop.Dir))
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

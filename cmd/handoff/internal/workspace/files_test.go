package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/workspace"
)

func (w world) all() []workspace.Workspace {
	w.t.Helper()
	all, err := workspace.All(func(name string) string { return w.vars[name] })
	require.NoError(w.t, err)
	return all
}

func TestAll_ListsWorkspacesWithStore(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.all())
	shop, api := w.openedRepository("shop"), w.openedRepository("api")
	require.NoError(t, workspace.RecordProject(shop))
	state := filepath.Dir(shop.Dir)
	require.NoError(t, os.MkdirAll(filepath.Join(state, "without-store"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(state, "no name", "handoff.db"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(state, "a-file"), nil, 0o600))
	require.NoError(t, os.Symlink(shop.Dir, filepath.Join(state, "a-link")))
	require.Equal(t, []workspace.Workspace{
		{Name: api.Name, Dir: api.Dir, By: workspace.ByName},
		{Name: shop.Name, Dir: shop.Dir, Project: shop.Project, By: workspace.ByName},
	}, w.all())
}

func TestFiles_HaveNamesAndSizes(t *testing.T) {
	w := newWorld(t)
	shop := w.openedRepository("shop")
	require.NoError(t, os.WriteFile(filepath.Join(shop.Dir, "handoff.lock"), []byte("1234"), 0o600))
	file := shop.StoreFile()
	require.NotNil(t, file)
	require.Equal(t, filepath.Join(shop.Dir, "handoff.db"), file.Path)
	require.Equal(t, int64(len("store")), file.Bytes)
	require.False(t, file.Used.IsZero())
	require.Equal(t, int64(len("store1234")), shop.TotalSize())
	require.Nil(t, shop.LogFile())
	require.Zero(t, workspace.Workspace{Dir: filepath.Join(w.home, "nowhere")}.TotalSize())
}

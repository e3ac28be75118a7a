package installed_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// A world is a machine without clients, with a home and a project.
type world struct {
	t *testing.T
	client.Machine
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := world{t, client.Machine{
		Getenv: func(string) string { return "" }, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), OS: "linux",
	}}
	require.NoError(t, os.MkdirAll(w.Home, 0o700))
	require.NoError(t, os.MkdirAll(w.Project, 0o700))
	return w
}

// write writes a file of a client.
func (w world) write(files client.Files, scope client.Scope, text string) (path string) {
	w.t.Helper()
	path = files.In(scope, w.Machine)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func known(t *testing.T, name string) client.Client {
	t.Helper()
	c, ok := client.Named(name)
	require.True(t, ok, name)
	return c
}

package setup_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/setup"
)

// A world is a machine without clients, with a home and a project.
type world struct {
	t *testing.T
	setup.Installer
	desired setup.DesiredSetup
	vars    map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, vars: map[string]string{}}
	m := client.Machine{Getenv: func(name string) string { return w.vars[name] }, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), OS: "linux"}
	require.NoError(t, os.MkdirAll(m.Home, 0o700))
	require.NoError(t, os.MkdirAll(m.Project, 0o700))
	w.Installer = setup.Installer{Dir: filepath.Join(dir, "state"), Now: func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }}
	w.desired = setup.DesiredSetup{Machine: m, Scope: client.User, Options: setup.Options{
		Server: client.Server{Command: []string{"handoff", "mcp"}}, Call: client.HookCall{Program: "handoff"}, Hooks: true,
	}}
	return w
}

// worldWith also gives a client.
func worldWith(t *testing.T, name string) (*world, client.Client) {
	t.Helper()
	return newWorld(t), known(t, name)
}

func known(t *testing.T, name string) client.Client {
	t.Helper()
	c, ok := client.ByName(name)
	require.True(t, ok, name)
	return c
}

// servers is the file with the client's servers.
func (w *world) servers(c client.Client) string {
	return c.Servers.PathFor(w.desired.Scope, w.desired.Machine)
}

func (w *world) write(path, text string, mode fs.FileMode) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(text), mode))
}

func (w *world) read(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(w.t, err)
	return string(text)
}

// of returns the change of one file.
func of(t *testing.T, changes []setup.FileChange, path string) setup.FileChange {
	t.Helper()
	for _, c := range changes {
		if c.File.Path == path {
			return c
		}
	}
	require.Fail(t, "no change of "+path)
	return setup.FileChange{}
}

func (w *world) apply(c client.Client) {
	w.t.Helper()
	for _, change := range w.PlanSetup(c, w.desired) {
		require.NoError(w.t, change.Err, change.File.Path)
		_, err := w.Apply(change)
		require.NoError(w.t, err)
	}
}

func (w *world) revert(c client.Client) {
	w.t.Helper()
	for _, change := range w.PlanUndo(c, w.desired) {
		_, err := w.ApplyUndo(change)
		require.NoError(w.t, err)
	}
}

// tree lists the content of a directory.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			names = append(names, strings.TrimPrefix(path, dir+string(filepath.Separator)))
		}
		return err
	}))
	return names
}

// requireText compares byte by byte: equal JSON may still have been written anew.
func (w *world) requireText(want, path string) {
	w.t.Helper()
	if now := w.read(path); now != want {
		require.Fail(w.t, "another text", "%s\nis not\n%s", now, want)
	}
}

// receipts returns the names of the receipts.
func (w *world) receipts() (names []string) {
	for _, name := range tree(w.t, w.Dir) {
		if name != "lock" {
			names = append(names, name)
		}
	}
	return names
}

package open_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/open"
	"handoff/schemas"
	"handoff/tools"
)

func config(dir string) open.Config {
	return open.Config{
		Name: "w", Dir: dir,
		Now: func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) },
	}
}

func mustOpen(t *testing.T, c open.Config) *open.Mailboxes {
	t.Helper()
	m, err := open.Workspace(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func TestOpenMakesFilesForTheirOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "w")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	m := mustOpen(t, config(dir))
	require.Equal(t, os.FileMode(0o700), mode(t, dir))
	require.Equal(t, os.FileMode(0o600), mode(t, filepath.Join(dir, "handoff.db")))

	_, err := m.Invoke(t.Context(), tools.Call{
		ID: "1", Caller: schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}, Tool: "send_handoff", Args: []byte(`{"to": "qa", "task": "Test it"}`),
	})
	require.NoError(t, err)
	newest, err := m.Invoke(t.Context(), tools.Call{Tool: "registry_newest"})
	require.NoError(t, err)
	require.JSONEq(t, `{"event": 1}`, string(newest))
	require.NoError(t, m.Close())
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func TestServerLeavesANote(t *testing.T) {
	dir := t.TempDir()
	c := config(dir)
	c.Server = true
	server := mustOpen(t, c)
	require.Equal(t, os.FileMode(0o600), mode(t, filepath.Join(dir, "owner.json")))

	_, err := open.Workspace(t.Context(), config(dir))
	coded := schemas.AsError(err)
	require.Equal(t, schemas.Unavailable, coded.Code)
	require.Contains(t, coded.Message, "another handoff process (pid ")
	require.NotEmpty(t, coded.Hint)

	require.NoError(t, server.Close())
	require.NoFileExists(t, filepath.Join(dir, "owner.json"))
}

func TestANoteOfAServerThatWasKilled(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "owner.json"), []byte(`{"pid": 1}`), 0o600))
	mustOpen(t, config(dir))
	require.NoFileExists(t, filepath.Join(dir, "owner.json"))
}

func TestACommandIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, config(dir))
	second := make(chan error)
	go func() {
		m, err := open.Workspace(context.WithoutCancel(t.Context()), config(dir))
		if err == nil {
			err = m.Close()
		}
		second <- err
	}()
	require.NoError(t, first.Close())
	require.NoError(t, <-second)
}

func TestWhatStandsInTheWay(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(t *testing.T, dir string)
		code schemas.Code
		says string
	}{
		"a file in the place of the directory": {
			make: func(t *testing.T, dir string) { require.NoError(t, os.WriteFile(dir, nil, 0o600)) },
			code: schemas.Unavailable, says: "has no place for its files",
		},
		"a file that is not ours": {
			make: func(t *testing.T, dir string) {
				require.NoError(t, os.Mkdir(dir, 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "handoff.db"), []byte("a text file with some words in it"), 0o600))
			},
			code: schemas.Internal, says: "not a store of handoff",
		},
		"a directory in the place of the file": {
			make: func(t *testing.T, dir string) {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "handoff.db"), 0o700))
			},
			code: schemas.Internal, says: "workspace w",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w")
			tt.make(t, dir)
			_, err := open.Workspace(t.Context(), config(dir))
			coded := schemas.AsError(err)
			require.Equal(t, tt.code, coded.Code)
			require.Contains(t, coded.Message, tt.says)
			require.Contains(t, coded.Hint, dir)
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open.Workspace(ctx, config(t.TempDir()))
	require.Equal(t, schemas.Unavailable, schemas.AsError(err).Code)
}

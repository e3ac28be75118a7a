package open_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store/bolt"
	"handoff/tools"
	"handoff/tools/relay"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func testConfig(dir string) open.Config {
	return open.Config{
		Name: "w", Dir: dir,
		Now: func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) },
	}
}

func mustOpen(t *testing.T, c open.Config) *relay.Relay {
	t.Helper()
	m, err := open.Mailboxes(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

var look = tools.Call{Tool: "registry_newest"}

func TestWorkspace_FilesAreForOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "state", "w")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	m := mustOpen(t, testConfig(dir))
	_, err := m.Invoke(t.Context(), tools.Call{
		Caller: schemas.Caller{Agent: "dev", Via: schemas.ViaCLI}, Tool: "send_handoff", Args: []byte(`{"to": "qa", "task": "Test it"}`),
	})
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), modeOf(t, dir))
	for _, file := range []string{"handoff.db", "handoff.lock", "handoff.sock", "owner.json"} {
		require.Equal(t, os.FileMode(0o600), modeOf(t, filepath.Join(dir, file)), file)
	}
	newest, err := m.Invoke(t.Context(), look)
	require.NoError(t, err)
	require.JSONEq(t, `{"event": 1}`, string(newest))
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func TestWorkspace_IsSharedWithOtherProcesses(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		_, err := mustOpen(t, testConfig(dir)).Invoke(t.Context(), look)
		require.NoError(t, err)
	}
}

func TestWorkspace_ReportsFileInPlaceOfDirectory(t *testing.T) {
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
		"a program that has the file open and does not share it": {
			make: func(t *testing.T, dir string) {
				s, err := bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(dir, "handoff.db")})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
			},
			code: schemas.Unavailable, says: "does not share it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "w")
			tt.make(t, dir)
			m, err := open.Mailboxes(t.Context(), testConfig(dir))
			if err == nil {
				_, err = m.Invoke(t.Context(), look)
				require.NoError(t, m.Close())
			}
			coded := schemas.AsError(err)
			require.Same(t, coded, err, "it is wrapped")
			require.Equal(t, tt.code, coded.Code)
			require.Contains(t, coded.Message, tt.says)
			require.NotEmpty(t, coded.Hint)
		})
	}
}

// A child process has the open files of its parent until it runs its program.
func TestOpen_WaitsForLockedFile(t *testing.T) {
	for name, look := range map[string]func(context.Context, workspace.Workspace) error{
		"look": func(ctx context.Context, w workspace.Workspace) error {
			_, err := open.CountHandoffs(ctx, w)
			return err
		},
		"compact": func(ctx context.Context, w workspace.Workspace) error {
			_, err := open.Compact(ctx, w)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := workspace.Workspace{Name: "w", Dir: t.TempDir()}
			other, err := bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(w.Dir, "handoff.db")})
			require.NoError(t, err)
			looked := make(chan error, 1)
			go func() { looked <- look(t.Context(), w) }()
			time.Sleep(time.Second) // of the bubble: the file stays locked at each attempt
			require.Empty(t, looked, name)
			require.NoError(t, other.Close())
			require.NoError(t, <-looked, name)
		})
	}
}

// A process that dies while it makes the file leaves it empty. A store that was open is never empty.
func TestOpen_RefusesEmptiedFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "handoff.db")
	opened := func() error {
		m, err := open.Mailboxes(t.Context(), testConfig(dir))
		require.NoError(t, err)
		_, err = m.Invoke(t.Context(), look)
		require.NoError(t, m.Close())
		return err
	}
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, opened(), "it was being made")
	require.NoError(t, os.Truncate(file, 0))
	for range 2 {
		refused := schemas.AsError(opened())
		require.ErrorContains(t, refused, "it is empty, and was not")
		require.Contains(t, refused.Hint, "remove "+file)
	}
	require.NoError(t, os.Remove(file))
	require.NoError(t, opened())
}

// The server starts anyway, because its client would not read why it ended. Calls return the reason.
func TestMailboxes_StartWithoutDirectoryForFiles(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.WriteFile(state, nil, 0o600))
	c := testConfig(filepath.Join(state, "w"))
	c.Stays = true
	m := mustOpen(t, c)
	for range 2 {
		_, err := m.Invoke(t.Context(), look)
		refused := schemas.AsError(err)
		require.Equal(t, schemas.Unavailable, refused.Code)
		require.Contains(t, refused.Message, "has no place for its files")
		require.Contains(t, refused.Hint, "writable")
	}
	require.NoError(t, os.Remove(state))
	_, err := m.Invoke(t.Context(), look)
	require.NoError(t, err, "each call tries again")
}

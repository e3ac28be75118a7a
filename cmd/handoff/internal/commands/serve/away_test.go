package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/store/postgres/postgrestest"
)

const list = `{"name": "list_handoffs", "arguments": {}}`

// The server starts before the directory of the database's socket exists.
func TestServer_StartsBeforeItsDatabase(t *testing.T) {
	server, rest, _ := strings.Cut(strings.TrimPrefix(postgrestest.StartServer(t), "host="), " ")
	later := filepath.Join(t.TempDir(), "later")
	away := map[string]string{"HANDOFF_STORE": "host=" + later + " " + rest}
	s := commandtest.NewHome(t).StartServerFor("codex-mcp-client", away)
	require.Contains(t, s.Request("tools/list", `{}`), "claim_handoff")
	refused := s.Request("tools/call", list)
	require.Contains(t, refused, "unavailable")
	require.Contains(t, refused, "Start the server")
	require.NoError(t, os.Symlink(server, later))
	said := refused
	for begun := time.Now(); strings.Contains(said, "isError") && time.Since(begun) < time.Minute; { // it does not retry at once
		said = s.Request("tools/call", list)
	}
	require.NotContains(t, said, "isError")
	require.NoError(t, s.In.Close())
	require.Zero(t, s.Wait(), s.LogOutput())
}

// The server starts before the directory of its files exists.
func TestServer_StartsBeforeDirectoryOfFiles(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	state := filepath.Join(p.State, "handoff")
	require.NoError(t, os.WriteFile(state, nil, 0o600))
	s := p.StartServer()
	require.Contains(t, s.Request("tools/call", list), "unavailable")
	require.NoError(t, os.Remove(state))
	require.NotContains(t, s.Request("tools/call", list), "isError")
	require.NoError(t, s.In.Close())
	require.Zero(t, s.Wait(), s.LogOutput())
}

func TestServer_RefusesInvalidDatabase(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	for _, command := range []string{"mcp", "serve"} {
		code, out, errs := p.RunWith(map[string]string{"HANDOFF_STORE": "postgres://u%zz@here/x"}, command)
		require.Equal(t, 2, code)
		require.Empty(t, out)
		require.Contains(t, errs, "cannot be read")
	}
}

// Some clients start their server in the root or the home directory, and never start it again.
func TestServer_StartsWithoutProject(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	later := filepath.Join(p.State, "later")
	for _, dir := range []string{"/", p.State, later} {
		s := p.StartServerCommand("cursor-vscode", map[string]string{"HOME": p.State}, commandtest.Program, "mcp", "--dir", dir)
		require.Contains(t, s.Hello, `\"--dir\"`)
		require.Contains(t, s.Request("tools/list", `{}`), "claim_handoff")
		require.Contains(t, s.Request("tools/call", list), "this server has no project")
		if dir == later {
			require.NoError(t, os.Mkdir(later, 0o700))
			require.NotContains(t, s.Request("tools/call", list), "isError")
		}
		require.NoError(t, s.In.Close())
		require.Zero(t, s.Wait(), s.LogOutput())
	}
}

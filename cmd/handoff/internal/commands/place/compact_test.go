package place_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestCompact_RefusesOpenWorkspace(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", strings.Repeat("Test it ", 100), "--agent", "dev")
	s := p.StartServer("--agent", "reviewer")
	s.Request("tools/call", `{"name": "list_handoffs", "arguments": {}}`)
	requireRefused(p, "is open in another process: pid ", "compact")
	s.CloseInput()

	file := filepath.Join(workspaceDir(p, "w"), "handoff.db")
	was, err := os.Stat(file)
	require.NoError(t, err)
	require.Contains(t, p.Must("compact"), "compacted")
	is, err := os.Stat(file)
	require.NoError(t, err)
	require.False(t, os.SameFile(was, is), "it is a new file")
	require.Contains(t, p.Must("show", "1"), "Test it")
	require.Contains(t, p.Must("check"), "OK")
}

func TestCompact_RemovesLeftoversOfKilledCommand(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	for _, end := range []string{"new", "old", "restoring"} {
		require.NoError(t, os.WriteFile(filepath.Join(workspaceDir(p, "w"), "handoff.db."+end), []byte("half"), 0o600))
	}
	p.Must("list")
	left, err := filepath.Glob(filepath.Join(workspaceDir(p, "w"), "handoff.db*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(workspaceDir(p, "w"), "handoff.db")}, left)
}

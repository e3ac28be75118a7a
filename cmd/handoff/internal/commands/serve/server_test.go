package serve_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestServer_ServesCommandsUntilInputEnds(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	require.Contains(t, s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.Contains(t, p.Must("claim", "--agent", "qa"), "ho_1 Test it, from codex")
	require.FileExists(t, filepath.Join(p.State, "handoff", "w", "owner.json"))

	s.CloseInput()
	require.NoFileExists(t, filepath.Join(p.State, "handoff", "w", "owner.json"))
	require.Contains(t, p.Must("show", "1"), "From: codex → To: qa", "the client's name is the one of its shell")
}

func TestServer_ActsUnderNameOfFlag(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer("--agent", "reviewer")
	require.Contains(t, s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	s.CloseInput()
	require.Contains(t, p.Must("show", "1"), "From: reviewer → To: qa")
}

func TestServer_EndsIfClientStopsReading(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	require.NoError(t, s.Out.Close())
	_, err := fmt.Fprintln(s.In, `{"jsonrpc":"2.0","id":99,"method":"tools/list","params":{}}`)
	require.NoError(t, err)
	require.Zero(t, s.Wait(), "%s", s.LogOutput())
}

func TestServer_WhenKilledBlocksNoSuccessor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("who was killed has status 1")
	}
	t.Parallel()
	p := commandtest.NewHome(t)
	s := p.StartServer()
	require.Contains(t, s.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "Test it"}}`), "ho_1")
	require.NoError(t, s.Cmd.Process.Kill())
	require.Equal(t, -1, s.Wait())
	require.Contains(t, p.Must("list"), "Test it")
	require.NoFileExists(t, filepath.Join(p.State, "handoff", "w", "owner.json"))
}

func TestServer_ReportsWhyItCannotStart(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	code, _, errs := p.Run("mcp", "--agent", "human")
	require.Equal(t, 4, code)
	require.True(t, strings.HasPrefix(errs, "handoff: "), errs)
}

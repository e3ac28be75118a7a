//go:build unix

package proof_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// Separate processes watch other processes.

// startInShell starts a line of a shell in which handoff is this program.
func startInShell(p commandtest.Home, line string) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.T.Context(), commandtest.Patience)
	p.T.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(line, "handoff ", commandtest.Program+" "))
	cmd.Env = append(p.Environ(), "HANDOFF_WORKSPACE=w")
	cmd.Dir = p.State
	out, err := cmd.StdoutPipe()
	require.NoError(p.T, err)
	errs := new(strings.Builder)
	cmd.Stderr = errs
	require.NoError(p.T, cmd.Start())
	return cmd, bufio.NewReader(out), errs
}

func next(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	return line
}

func nextEvent(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	var c schemas.RegistryChange
	require.NoError(t, json.Unmarshal([]byte(next(t, out)), &c))
	return fmt.Sprint(c.N, " ", c.Agent, " ", c.Action)
}

// The process through which events come may be killed: none is missed, and none comes twice.
func TestWatch_ContinuesWhenOwnerEnds(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	owner := p.StartServer("--agent", "dev")
	owner.Request("tools/call", `{"name": "send_handoff", "arguments": {"to": "qa", "task": "one"}}`)
	watch, out, errs := startInShell(p, "exec handoff watch --json --since 0")
	require.Equal(t, "1 dev sent", nextEvent(t, out))
	require.NoError(t, owner.Cmd.Process.Kill())
	require.Equal(t, -1, owner.Wait())
	for n := range 3 {
		p.Must("send", "qa", "more", "--agent", "dev")
		require.Equal(t, fmt.Sprint(n+2, " dev sent"), nextEvent(t, out))
	}
	require.NoError(t, watch.Process.Signal(os.Interrupt))
	require.NoError(t, watch.Wait(), errs)
	require.Empty(t, errs.String())
}

// A reader that leaves ends watching at once, not at an event that may never come.
func TestWatch_EndsWithReader(t *testing.T) {
	t.Parallel()
	p := commandtest.NewHome(t)
	p.Must("send", "qa", "Test it", "--agent", "dev")
	for _, line := range []string{
		"handoff watch --since 0 | head -1",
		"{ handoff watch --since 0; echo ended with $? >&2; } | head -1",
	} {
		cmd, out, errs := startInShell(p, line)
		require.Contains(t, next(t, out), "ho_1")
		require.NoError(t, cmd.Wait(), errs)
		require.Empty(t, strings.TrimSuffix(errs.String(), "ended with 0\n"))
	}
}

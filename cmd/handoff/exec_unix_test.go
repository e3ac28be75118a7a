//go:build unix

package main

import (
	"bufio"
	"io"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// A signal to handoff reaches the command, and the command's last payload is still handed on.
func TestExec_HandsOnWhenSignalled(t *testing.T) {
	home := commandtest.NewHome(t)
	cmd := exec.CommandContext(t.Context(), commandtest.Program, "exec", "send", "fix", "Fix it", "--agent", "dev", "--workspace", "w", "--",
		"sh", "-c", `trap 'echo "{\"summary\": \"so far\"}" >"$HANDOFF_PATH"; exit 0' TERM; echo ready; while :; do sleep 0.01; done`)
	cmd.Env = append(home.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	printed := bufio.NewReader(out)
	ready, err := printed.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", ready)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	sent, err := io.ReadAll(printed)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	require.Contains(t, string(sent), "ho_1 pending")
	require.Contains(t, home.Must("show", "1"), "so far")
}

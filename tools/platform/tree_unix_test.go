//go:build unix

package platform_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
	"handoff/tools/platform/platformtest"
)

func TestCancelTree_EndsChildProcesses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := platformtest.NewChild(t, cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", child.StartLine()+"wait")
	platform.CancelTree(cmd)
	require.EqualError(t, cmd.Run(), "signal: killed")
	child.RequireEnd(t)
}

func TestKillTree_KillsProcessesLeftByCommand(t *testing.T) {
	child := platformtest.NewChild(t, func() {})
	cmd := exec.CommandContext(t.Context(), "sh", "-c", child.StartLine())
	platform.CancelTree(cmd)
	require.NoError(t, cmd.Run())
	platform.KillTree(cmd)
	child.RequireEnd(t)
	platform.KillTree(cmd) // no process is left
}

func TestKillTree_IgnoresCommandNotStarted(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "nowhere/to/be/found")
	platform.CancelTree(cmd)
	require.Error(t, cmd.Run())
	platform.KillTree(cmd)
}

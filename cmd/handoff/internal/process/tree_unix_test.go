//go:build unix

package process_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/process"
	"handoff/cmd/handoff/internal/process/processtest"
)

func TestACommandEndsWithAllThatItStarted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	child := processtest.NewChild(t, cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", child.Start()+"wait")
	process.Tree(cmd)
	require.EqualError(t, cmd.Run(), "signal: killed")
	child.RequireEnd(t)
}

func TestProcessesThatACommandLeftAreKilledAfterIt(t *testing.T) {
	child := processtest.NewChild(t, func() {})
	cmd := exec.CommandContext(t.Context(), "sh", "-c", child.Start())
	process.Tree(cmd)
	require.NoError(t, cmd.Run())
	process.Kill(cmd)
	child.RequireEnd(t)
	process.Kill(cmd) // nobody is left
}

func TestACommandThatNeverBeganIsNotKilled(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "nowhere/to/be/found")
	process.Tree(cmd)
	require.Error(t, cmd.Run())
	process.Kill(cmd)
}

//go:build unix

package onevent

import (
	"context"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // the user wrote it, and nobody else
}

// ask asks the command to end, and all that it started.
func ask(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // nobody may be left
}

//go:build unix

package hook

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a shell that leads a process group of its own, so that all it starts can be ended with it.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command) //nolint:gosec // the user wrote it, and nobody else
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// end signals the command and all it started.
func end(cmd *exec.Cmd, s syscall.Signal) {
	_ = syscall.Kill(-cmd.Process.Pid, s) // nobody may be left
}

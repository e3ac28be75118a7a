package platform

import (
	"context"
	"os/exec"
	"syscall"
)

// ShellCommand returns a command that runs a line in the shell of the system: sh, on Windows cmd. Cmd gets the line as
// a whole, because it reads quotes as no other program does.
func ShellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + line + `"`}
	return cmd
}

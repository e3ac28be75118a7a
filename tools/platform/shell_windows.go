package platform

import (
	"context"
	"os/exec"
	"syscall"
)

// Shell is a command line as the shell of the system runs it: sh, on Windows cmd, which is given its line whole because
// it reads quotes as no other program does.
func Shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + line + `"`}
	return cmd
}

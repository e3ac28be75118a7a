package onevent

import (
	"context"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// shell is given its command line whole: cmd reads quotes as no other program does.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + line + `"`}
	return cmd
}

// ask asks the command to end, and all that it started. There is only one way.
func ask(cmd *exec.Cmd, _ syscall.Signal) {
	group := uint32(cmd.Process.Pid)                                      //nolint:gosec // it fits
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, group) // the process may have ended
}

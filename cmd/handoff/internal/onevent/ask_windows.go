package onevent

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// ask asks the command to end, and all that it started. There is only one way.
func ask(cmd *exec.Cmd, _ syscall.Signal) {
	group := uint32(cmd.Process.Pid)                                      //nolint:gosec // it fits
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, group) // the process may have ended
}

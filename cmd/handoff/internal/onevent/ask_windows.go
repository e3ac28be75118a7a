package onevent

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// ask asks the command to end, and all that it started.
func ask(cmd *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(syscall.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid)) //nolint:gosec // it fits
}

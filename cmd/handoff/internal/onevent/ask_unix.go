//go:build unix

package onevent

import (
	"os/exec"
	"syscall"
)

// ask asks the command to end, and all that it started.
func ask(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

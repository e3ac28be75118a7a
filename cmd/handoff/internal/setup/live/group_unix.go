//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// whole has a program end with all that it started when its time is over: what is configured may be a shell.
func whole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

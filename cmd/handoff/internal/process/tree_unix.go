//go:build unix

package process

import (
	"os"
	"syscall"
)

// lead has a process lead a group of its own, to which all belong that it starts.
func lead(how *syscall.SysProcAttr) { how.Setpgid = true }

func kill(leader *os.Process) error {
	if syscall.Kill(-leader.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return leader.Kill() // which tells whether it has ended
}

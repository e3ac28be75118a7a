//go:build unix

package process

import (
	"os"
	"syscall"
)

// lead makes a process the leader of a group of its own, to which all processes belong that it starts.
func lead(how *syscall.SysProcAttr) { how.Setpgid = true }

func kill(leader *os.Process) error {
	if syscall.Kill(-leader.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return leader.Kill() // its error says whether it has ended
}

//go:build unix

package platform

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// setGroupLeader makes a process the leader of a group of its own, which all its children join.
func setGroupLeader(how *syscall.SysProcAttr) { how.Setpgid = true }

func killProcessTree(leader *os.Process) error {
	if syscall.Kill(-leader.Pid, syscall.SIGKILL) == nil {
		return nil
	}
	return leader.Kill() // its error says whether it has ended
}

// LeaveGroup leaves the process group of the client, so that Ctrl-C and Ctrl-Z in the client do not reach this process,
// on which other processes depend. It does nothing if the input is a terminal, because a process outside of its group
// cannot read from a terminal. It also does nothing if the input is no file, as in a test.
func LeaveGroup(input io.Reader, isTerminal func(stream any) bool) {
	f, ok := input.(*os.File)
	if !ok || isTerminal(f) {
		return
	}
	signal.Ignore(syscall.SIGTTOU) // of a terminal with "stty tostop", at our first write to it
	_ = syscall.Setpgid(0, 0)      // refused to the leader of a session, which has a group of its own already
}

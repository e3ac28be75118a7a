package platform

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// setGroupLeader makes a process the leader of a group of its own.
func setGroupLeader(how *syscall.SysProcAttr) { how.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP }

// kill lets the system find the processes that a process started, as long as it knows that process.
func kill(leader *os.Process) error {
	var err error
	known := leader.WithHandle(func(uintptr) { // and its number is not given to another
		pid := strconv.Itoa(leader.Pid)
		err = exec.Command("taskkill", "/T", "/F", "/PID", pid).Run() //nolint:gosec,noctx // a number; it ends by itself
	})
	if known == nil && err == nil {
		return nil
	}
	return leader.Kill() // its error says whether it has ended
}

// LeaveGroup does nothing here: there are no process groups of that kind.
func LeaveGroup(io.Reader, func(stream any) bool) {}

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

// killProcessTree ends a process and its children. The system finds the children, but only as long as it knows the
// process itself.
func killProcessTree(leader *os.Process) error {
	var err error
	known := leader.WithHandle(func(uintptr) { // and its number is not reused
		pid := strconv.Itoa(leader.Pid)
		err = exec.Command("taskkill", "/T", "/F", "/PID", pid).Run() //nolint:gosec,noctx // a number; it ends by itself
	})
	if known == nil && err == nil {
		return nil
	}
	return leader.Kill() // its error says whether it has ended
}

// LeaveGroup does nothing here: Windows has no process groups of this kind.
func LeaveGroup(io.Reader, func(stream any) bool) {}

package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// lead has a process lead a group of its own.
func lead(how *syscall.SysProcAttr) { how.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP }

// kill has the system go from the process to those that it started, as long as it is known.
func kill(leader *os.Process) error {
	var err error
	known := leader.WithHandle(func(uintptr) { // and its number is not given to another
		err = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(leader.Pid)).Run() //nolint:gosec,noctx // a number; it ends by itself
	})
	if known == nil && err == nil {
		return nil
	}
	return leader.Kill() // which tells whether it has ended
}

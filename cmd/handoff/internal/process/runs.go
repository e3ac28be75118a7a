//go:build !windows

package process

import (
	"errors"
	"os"
	"syscall"
)

// Runs tells whether there is a process with this number, whosever it is. One that has ended and was not waited for
// yet is there.
func Runs(pid int) bool {
	if pid <= 0 { // which stands for other things than processes
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // it was only looked at
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

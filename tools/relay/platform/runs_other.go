//go:build !windows

package platform

import (
	"errors"
	"os"
	"syscall"
)

// Runs reports whether there is a process with this number, whichever user runs it. A process that has ended, but was
// not waited for by its parent, still counts. Numbers are given again: see [Program].
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

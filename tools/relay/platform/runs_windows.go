package platform

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Runs reports whether there is a process with this number, whichever user runs it. Numbers are given again.
func Runs(pid int) bool {
	if pid <= 0 { // which stands for other things than processes
		return false
	}
	p, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // it is no less than zero
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(p) //nolint:errcheck // it was only looked at
	state, err := windows.WaitForSingleObject(p, 0)
	return err == nil && state == uint32(windows.WAIT_TIMEOUT)
}

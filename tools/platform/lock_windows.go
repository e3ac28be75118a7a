package platform

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

const (
	exclusive   = windows.LOCKFILE_EXCLUSIVE_LOCK
	shared      = 0
	withoutWait = windows.LOCKFILE_FAIL_IMMEDIATELY
	errHeld     = windows.ERROR_LOCK_VIOLATION // of a lock without a wait
)

func lock(f *os.File, how uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, lockRange())
}

func unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockRange())
	if errors.Is(err, windows.ERROR_NOT_LOCKED) || errors.Is(err, errHeld) { // the second in Wine
		return nil
	}
	return err
}

// lockRange returns the range that is locked: one byte beyond the end of any file. Windows refuses other processes
// access to a locked byte, so no byte of the content may be locked.
func lockRange() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}

package relay

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

func takeNow(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

func takeInTurn(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// takeShared waits while somebody has the lock alone, which is a moment.
func takeShared(f *os.File) error { return lockFile(f, 0) }

// lockFile locks all bytes that the file could ever have.
func lockFile(f *os.File, how uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, math.MaxUint32, math.MaxUint32, &windows.Overlapped{})
}

// unlock does nothing to a file that is not locked, as elsewhere.
func unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, math.MaxUint32, math.MaxUint32, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return nil
	}
	return err
}

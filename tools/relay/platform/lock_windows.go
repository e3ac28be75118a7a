package platform

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks a file for the caller alone. It does not wait: the error is [ErrLocked] when the file is locked.
func TryLock(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Lock locks a file for the caller alone, as soon as it is free. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared locks a file together with other callers of LockShared. It waits while one holds the lock alone.
func LockShared(f *os.File) error { return lockFile(f, 0) }

// Unlock releases a lock. It does nothing to a file that is not locked.
func Unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, math.MaxUint32, math.MaxUint32, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return nil
	}
	return err
}

// lockFile locks all bytes that the file could ever have.
func lockFile(f *os.File, how uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, math.MaxUint32, math.MaxUint32, &windows.Overlapped{})
}

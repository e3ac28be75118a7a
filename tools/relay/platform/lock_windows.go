package platform

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks a file for the caller alone if nobody has a lock of it, and gives [ErrLocked] otherwise.
func TryLock(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Lock waits until it is the caller's turn. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared locks a file together with others that do so. It waits while somebody has the lock alone.
func LockShared(f *os.File) error { return lockFile(f, 0) }

// Unlock lets go of a lock. Without one it does nothing.
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

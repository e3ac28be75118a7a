package platform

import (
	"errors"
	"os"
)

// ErrLocked means that another process, or another open file of this process, holds the lock. The system releases a
// lock when its process ends, in any way. A lock belongs to an open file, so closing another file of the same name does
// not release the lock.
//
// Some systems only have locks of a whole process, which are lost when the process closes any file of the same name. So
// this package does not build for these systems.
var ErrLocked = errors.New("another process has it open")

// TryLock locks a file exclusively. It does not wait: the error is [ErrLocked] if the file is locked.
func TryLock(f *os.File) error {
	err := lock(f, exclusive|withoutWait)
	if errors.Is(err, errHeld) {
		return ErrLocked
	}
	return err
}

// Lock locks a file exclusively, as soon as it is free. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return lock(f, exclusive) }

// LockShared locks a file together with other callers of LockShared. It waits while the file is locked exclusively.
func LockShared(f *os.File) error { return lock(f, shared) }

// Unlock releases a lock. It does nothing to a file that is not locked.
func Unlock(f *os.File) error { return unlock(f) }

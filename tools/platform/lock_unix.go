//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package platform

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks a file for the caller alone. It does not wait: the error is [ErrLocked] when the file is locked.
func TryLock(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Lock locks a file for the caller alone, as soon as it is free. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared locks a file together with other callers of LockShared. It waits while one holds the lock alone.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// Unlock releases a lock. It does nothing to a file that is not locked.
func Unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

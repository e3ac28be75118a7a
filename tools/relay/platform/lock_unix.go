//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package platform

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks a file for the caller alone if nobody has a lock of it, and gives [ErrLocked] otherwise.
func TryLock(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Lock waits until it is the caller's turn. It sleeps in the kernel and cannot be cancelled.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared locks a file together with others that do so. It waits while somebody has the lock alone.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// Unlock lets go of a lock. Without one it does nothing.
func Unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

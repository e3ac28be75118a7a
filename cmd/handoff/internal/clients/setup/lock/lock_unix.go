//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package lock

import (
	"errors"
	"os"
	"syscall"
)

const keepsOpen = false

func take(f *os.File) error {
	switch err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrHeld
	case errors.Is(err, syscall.ENOLCK): // a network without a daemon for locks
		return errors.ErrUnsupported
	default:
		return err
	}
}

func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

// flock locks the open file and not the process, which may take the lock twice and then meets itself.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

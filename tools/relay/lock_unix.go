//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package relay

import (
	"errors"
	"os"
	"syscall"
)

func takeNow(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}

func takeInTurn(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// takeShared waits while somebody has the lock alone, which is a moment.
func takeShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

// flock locks the open file, not the process: a process that takes the lock twice meets itself, and closing
// another file of the same name lets go of nothing.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

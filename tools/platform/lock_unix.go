//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package platform

import (
	"errors"
	"os"
	"syscall"
)

const (
	exclusive   = syscall.LOCK_EX
	shared      = syscall.LOCK_SH
	withoutWait = syscall.LOCK_NB
	errHeld     = syscall.EWOULDBLOCK // of a lock without a wait
)

func lock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func unlock(f *os.File) error { return lock(f, syscall.LOCK_UN) }

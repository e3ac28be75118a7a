//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package platform

import (
	"errors"
	"os"
)

const exclusive, shared, withoutWait = 0, 0, 0

var errHeld = ErrLocked // lock never returns it

func lock(*os.File, int) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return nil }

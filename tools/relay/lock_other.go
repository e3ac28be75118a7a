//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package relay

import (
	"errors"
	"os"
)

// Elsewhere there are only locks that belong to the whole process, which are lost when it closes any file of
// the same name.

func takeNow(*os.File) error { return errors.ErrUnsupported }

func takeInTurn(*os.File) error { return errors.ErrUnsupported }

func takeShared(*os.File) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return nil }

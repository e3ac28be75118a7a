//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package platform

import (
	"errors"
	"os"
)

// Elsewhere there are only locks that belong to the whole process, which are lost when it closes any file of
// the same name.

// TryLock is not supported.
func TryLock(*os.File) error { return errors.ErrUnsupported }

// Lock is not supported.
func Lock(*os.File) error { return errors.ErrUnsupported }

// LockShared is not supported.
func LockShared(*os.File) error { return errors.ErrUnsupported }

// Unlock does nothing.
func Unlock(*os.File) error { return nil }

package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"handoff/store"
)

// classify says in the words of package store what went wrong, and keeps err
// for whoever wants to know more. It returns other errors as they are.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return store.ErrClosed
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case full(err):
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// full tells whether err means that there is no space. Bbolt flattens some
// errors of the system to text, so their text counts as well.
func full(err error) bool {
	for _, cause := range append(systemFull, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) {
		if errors.Is(err, cause) || strings.Contains(err.Error(), cause.Error()) {
			return true
		}
	}
	return false
}

// damaged is deferred around every use of bbolt, which panics when it meets a
// damaged page: that is an error of the file and must not end the process. A
// goroutine that reads the mapped file also calls debug.SetPanicOnFault, so
// that a file which was cut off meanwhile is such an error too.
func damaged(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w (%v)", store.ErrCorrupt, v)
	}
}

package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"handoff/store"
)

// toStoreError wraps an error of bbolt or of the system in an error of package store. It returns other errors
// unchanged.
func toStoreError(err error) error {
	switch {
	case err == nil, errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrFull):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return store.ErrClosed
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case isFullDisk(err):
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// isFullDisk reports whether err means that the disk is full. It compares the text too, because bbolt turns some errors
// of the system into text.
func isFullDisk(err error) bool {
	causes := []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	if runtime.GOOS == "windows" { // the numbers mean other things elsewhere
		const handleDiskFull, diskFull = 39, 112
		causes = append(causes, handleDiskFull, diskFull)
	}
	return slices.ContainsFunc(causes, func(cause syscall.Errno) bool {
		return errors.Is(err, cause) || strings.Contains(err.Error(), cause.Error())
	})
}

// recoverAsDamage turns a panic of bbolt into [store.ErrCorrupt], because a damaged file must not end the process. Each
// function that uses bbolt defers it. Goroutines that read the mapped file also call debug.SetPanicOnFault, so that a
// file that was cut off panics too.
func recoverAsDamage(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w (%v)", store.ErrCorrupt, v)
	}
}

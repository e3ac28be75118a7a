//go:build unix

package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"handoff/tools/platform"
)

// notReplaced says why a file is not replaced by another of the same name; nil if it may be.
func notReplaced(f fs.FileInfo) error {
	of, ok := f.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return nil
	case of.Nlink > 1:
		return errors.New("it has another name (a hard link), under which it would stay as it is")
	case !platform.Owned(f):
		return errors.New("it belongs to another user")
	}
	return nil
}

// keepGroup gives a new file the group of another, which one has to be in.
func keepGroup(f *os.File, of fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	was, okWas := of.Sys().(*syscall.Stat_t)
	if !ok || !okWas || is.Gid == was.Gid {
		return nil
	}
	if err := f.Chown(-1, int(was.Gid)); err != nil {
		return fmt.Errorf("keep its group: %w", err)
	}
	return nil
}

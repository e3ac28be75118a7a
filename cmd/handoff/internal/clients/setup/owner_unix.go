//go:build unix

package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"handoff/tools/relay/platform"
)

// notReplaced says why a file is not replaced by another of the same name; nil if it may be. Only root can give one
// away.
func notReplaced(f fs.FileInfo) error {
	of, ok := f.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return nil
	case of.Nlink > 1:
		return errors.New("it has another name (a hard link), under which it would stay as it is")
	case !platform.Owned(f) && os.Geteuid() != 0:
		return errors.New("it belongs to another user")
	}
	return nil
}

// keepOwner gives a new file the owner and the group of another. Each for itself: to give a file a group, one has to
// be in that, and to give it away, root.
func keepOwner(f *os.File, of fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	was, okWas := of.Sys().(*syscall.Stat_t)
	if !ok || !okWas {
		return nil
	}
	if is.Gid != was.Gid {
		if err := f.Chown(-1, int(was.Gid)); err != nil {
			return fmt.Errorf("keep its group: %w", err)
		}
	}
	if is.Uid != was.Uid {
		if err := f.Chown(int(was.Uid), -1); err != nil {
			return fmt.Errorf("keep its owner: %w", err)
		}
	}
	return nil
}

//go:build !windows

package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Runs reports whether there is a process with this number, whichever user runs it. A process that has ended, but was
// not waited for by its parent, still counts. Numbers are given again: see [Program].
func Runs(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) // others than positive ones stand for groups
}

// Rename is [os.Rename].
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove is [os.Remove].
func Remove(path string) error { return os.Remove(path) }

// MakePrivate makes a directory for this user only, or takes the permissions of other users from one that exists.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, 0o700) //nolint:gosec // a directory is entered by its x bit
}

// FileID is different for any two files of this machine that exist at the same time, also for a file and its copy. It
// is empty when there is no such file, and where the system does not tell.
func FileID(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
}

// Owner gives the user and the group that a file belongs to. They are not known where files have owners of another kind.
func Owner(f fs.FileInfo) (uid, gid int, known bool) {
	of, known := f.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(of.Uid), int(of.Gid), true
}

// HardLinked tells whether a file has more names than one, as far as the system tells.
func HardLinked(f fs.FileInfo) bool {
	of, ok := f.Sys().(*syscall.Stat_t)
	return ok && of.Nlink > 1
}

// ReaderLeft tells whether a write failed because nobody reads the pipe or the socket any more.
func ReaderLeft(err error) bool { return errors.Is(err, syscall.EPIPE) }

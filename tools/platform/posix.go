//go:build !windows

package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ProcessExists reports whether a process with this number exists, run by any user. A process that has ended, but was
// not waited for by its parent, still counts. The system reuses numbers: see [ProcessID].
func ProcessExists(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) // numbers below one stand for groups
}

// Rename is [os.Rename].
func Rename(from, to string) error { return os.Rename(from, to) }

// Remove is [os.Remove].
func Remove(path string) error { return os.Remove(path) }

// MakePrivate makes a directory for this user only, or removes the permissions of other users from an existing one.
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

// FileID returns an id of a file on this machine. Two files that exist at the same time have different ids, even if one
// is a copy of the other. The id is empty if the file is missing or the system has no ids.
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

// FileOwner returns the user and the group of a file. They are unknown on systems with another kind of owners.
func FileOwner(f fs.FileInfo) (uid, gid int, known bool) {
	of, known := f.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(of.Uid), int(of.Gid), true
}

// HasHardLinks reports whether a file has several names, as far as the system reports them.
func HasHardLinks(f fs.FileInfo) bool {
	of, ok := f.Sys().(*syscall.Stat_t)
	return ok && of.Nlink > 1
}

// IsBrokenPipe reports whether a write failed because the pipe or the socket has no reader any more.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

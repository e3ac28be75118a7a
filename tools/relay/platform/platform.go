// Package platform asks the operating system what each one answers in its own way: which processes run, which file
// and which start of the system this is, whether other machines share a directory, and who is at the other end of
// a socket. It also locks files, and replaces them while others read them.
//
// A system that does not know answers with the zero value, or with [errors.ErrUnsupported] where the function has
// an error. Callers treat that as "cannot be checked here", never as "no".
package platform

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// ErrLocked means that another process, or another open file of this process, holds the lock. A lock belongs to an open
// file and not to the process, so closing another file of the same name releases nothing. The system takes the lock back
// when the process ends, however it ends.
var ErrLocked = errors.New("another process has it open")

// Program is the name, without its directory, of the file that a process runs. The process is given by its number,
// or as "self". A file that was replaced or removed meanwhile keeps its name. The error is [fs.ErrNotExist] when
// there is no such process, or when the system has no /proc: today only Linux answers.
func Program(process string) (string, error) {
	path, err := os.Readlink(filepath.Join("/proc", process, "exe"))
	if err != nil {
		return "", err
	}
	return filepath.Base(strings.TrimSuffix(path, " (deleted)")), nil
}

// BootID is different after each start of the system. It is empty where the system has no /proc: today only Linux
// answers.
func BootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// SameUser reports whether the process at the other end of a socket runs as the user of this one. Where the system
// does not tell it reports true: then only the permissions of the socket and of its directory keep others out.
func SameUser(c *net.UnixConn) bool {
	uid, err := PeerUser(c)
	return errors.Is(err, errors.ErrUnsupported) || err == nil && uid == os.Geteuid()
}

// PeerUser is the number of the user who runs the process at the other end of a socket. The error is
// [errors.ErrUnsupported] where the system does not tell.
func PeerUser(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) { uid, err = peerOf(int(fd)) })
	return uid, errors.Join(failed, err)
}

// SameFile tells whether two paths lead to one file.
func SameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(one, other)
}

// Replace writes a file as a whole: who reads it finds the old text or the new one. The new text lies beside it first,
// under a name that [os.CreateTemp] makes of beside, and ready, which may be nil, gets that file before it replaces the
// other. An error of it stops that.
func Replace(path, beside string, text []byte, ready func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), beside)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && ready != nil {
		err = ready(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// SyncDir makes the names in a directory durable, where the system can. The error is only that of closing it: what was
// done is done.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil //nolint:nilerr // not each user may
	}
	_ = f.Sync() // not each system can
	return f.Close()
}

// ReadRegular reads a regular file of at most limit bytes. It opens no pipe, which would wait for a writer, and no
// device, which may never end. The error is [fs.ErrInvalid] for what is no regular file, and for a larger file.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", fs.ErrInvalid, path, limit)
	}
	return content, err
}

// OpenRegular opens a regular file to be read, as [ReadRegular] does.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no regular file", fs.ErrInvalid, path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

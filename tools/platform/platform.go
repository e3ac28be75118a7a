// Package platform has the functions that each operating system implements in its own way. It stands on the ground floor
// and imports nothing of ours, so every room may use it.
//
//   - Files: locks, private directories, owners, reading of regular files alone, and replacement while others read.
//   - The machine: an id of its start, the kind of a network file system, free space.
//   - Processes: whether one runs, the ancestors of this one, and the user at the other end of a socket.
//   - Commands that this process starts: their shell, their limits, the end of their output, and the end of all processes
//     that they started ([CancelTree]).
//   - This process itself: its input, its memory, its sleep, and its orderly end ([Life]).
//
// A system that does not know answers with the zero value, or with [errors.ErrUnsupported] where the function has
// an error. Callers treat that as "cannot be checked here", never as "no".
package platform

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
)

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
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // else empty
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

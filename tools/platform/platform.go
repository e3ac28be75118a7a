// Package platform has functions that each operating system implements in its own way. It imports no other package of
// handoff, so every package may import it.
//
//   - Files: locks, private directories, owners, reading of regular files only, and replacement while other processes read.
//   - The machine: an id that changes at each start, the kind of a network file system, free space.
//   - Processes: whether a process runs, the ancestors of this process, and the user at the other end of a socket.
//   - Commands that this process starts: the shell, limits, the last part of the output, and the killing of a command
//     together with all processes that it started ([CancelTree]).
//   - This process itself: its input, its memory, its sleep, and its orderly end ([ProcessLife]).
//
// If the system does not report a fact, a function returns [errors.ErrUnsupported], or the zero value if it returns no
// error. Callers read a zero value as "unknown", never as "no".
package platform

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// BootID returns an id that changes with each start of the system. It is empty on every system except Linux.
func BootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // else empty
	return strings.TrimSpace(string(id))
}

// IsSameUser reports whether the process at the other end of a socket has the same user as this process. It returns
// true if the system does not report the user. Then only the permissions of the socket and its directory keep other
// users out.
func IsSameUser(c *net.UnixConn) bool {
	uid, err := UserOfPeer(c)
	return errors.Is(err, errors.ErrUnsupported) || err == nil && uid == os.Geteuid()
}

// UserOfPeer returns the number of the user who runs the process at the other end of a socket. The error is
// [errors.ErrUnsupported] if the system does not report it.
func UserOfPeer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) { uid, err = userOfSocket(int(fd)) })
	return uid, errors.Join(failed, err)
}

// Sleep waits for d and then returns true. If ctx ends earlier, Sleep returns false at once.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

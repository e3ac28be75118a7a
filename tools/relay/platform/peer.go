package platform

import (
	"errors"
	"net"
	"os"
)

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

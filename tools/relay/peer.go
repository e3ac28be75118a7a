package relay

import (
	"errors"
	"net"
	"os"
)

// guarded accepts only processes of the same user. Others are kept out by the permissions of the socket and
// its folder already; this is for the day somebody loosens them.
type guarded struct{ *net.UnixListener }

func (l guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if sameUser(c) {
			return c, nil
		}
		_ = c.Close() // a stranger is told nothing
	}
}

// sameUser reports whether the process at the other end runs as the user of this one. Where the system does
// not tell, permissions of files must do.
func sameUser(c *net.UnixConn) bool {
	uid, err := peerUser(c)
	return errors.Is(err, errors.ErrUnsupported) || err == nil && uid == os.Geteuid()
}

// peerUser is the number of the user who runs the process at the other end.
func peerUser(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) { uid, err = peerOf(int(fd)) })
	return uid, errors.Join(failed, err)
}

package relay

import (
	"net"

	"handoff/tools/relay/platform"
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
		if platform.SameUser(c) {
			return c, nil
		}
		_ = c.Close() // a stranger is told nothing
	}
}

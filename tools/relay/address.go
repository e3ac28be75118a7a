package relay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"handoff/tools/relay/platform"
)

// An Address is where an owner listens: a socket beside the store, or a port of the loopback interface where there can
// be no socket. Nobody listens at the zero Address.
type Address struct {
	Network string `json:"network"` // "unix" or "tcp"
	Addr    string `json:"addr"`    // the path of a socket, or host:port

	// Secret is sent to an owner on a port, which every user of the machine reaches. It proves that the caller was
	// able to read the note. A socket needs none.
	Secret string `json:"secret,omitempty"`
}

// dialLimit is generous. The kernel accepts for a process that is stopped, and refuses at once for one that has ended,
// except on Windows, which would try again for seconds.
const dialLimit = 200 * time.Millisecond

// dial connects to an owner that runs as the same user.
func (a Address) dial(ctx context.Context) (net.Conn, error) {
	if a.Network == "" {
		return nil, errors.New("dial an owner that does not say where it listens")
	}
	d := net.Dialer{Timeout: dialLimit}
	c, err := d.DialContext(ctx, a.Network, a.Addr)
	if err != nil {
		return nil, err
	}
	if u, ok := c.(*net.UnixConn); ok && !platform.SameUser(u) {
		return nil, errors.Join(fmt.Errorf("dial %s: another user listens there", a.Addr), c.Close())
	}
	return c, nil
}

// remove unlinks the socket. It is called with the lock held, because later the socket may be that of the next owner. A
// socket that is not there is no error.
func (a Address) remove() error {
	if a.Network != "unix" {
		return nil
	}
	if err := os.Remove(a.Addr); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

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

// An Address is where an owner listens. The zero Address is nowhere.
type Address struct {
	Network string `json:"network"` // "unix" or "tcp"
	Addr    string `json:"addr"`    // the path of a socket, or host:port

	// Secret proves to an owner on a port, which every user of the machine reaches, that a caller could
	// read its note. A socket needs none.
	Secret string `json:"secret,omitempty"`
}

// dialLimit is generous: a process that does not accept is reached all the same, and one that is gone refuses
// at once, except on Windows, which would try again for seconds.
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

// remove unlinks the socket. It is called with the lock held: afterwards the socket may be that of the next
// owner. It is no error when there is none.
func (a Address) remove() error {
	if a.Network != "unix" {
		return nil
	}
	if err := os.Remove(a.Addr); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

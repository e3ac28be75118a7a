package web

import (
	"container/list"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// A crowd is all connections there are. When it is full, the one that has waited longest without a whole request
// makes room for the next: connecting and saying nothing, or never finishing to say it, shuts nobody out. When
// all are at work, the next is turned away.
//
// There is no limit for each address of a client: behind a proxy all have the same.
type crowd struct {
	limit int
	log   *slog.Logger
	now   func() time.Time

	mu       sync.Mutex                 // guards the fields below
	conns    map[net.Conn]*list.Element // where each stands in line, nil for those at work
	waiting  *list.List                 // of net.Conn without a request, the longest waiting first
	fresh    map[net.Conn]bool          // of those, the ones over which nothing was asked yet
	over     bool                       // nobody is let in any more
	lamented time.Time                  // when it was last logged that one was turned away
}

func newCrowd(limit int, log *slog.Logger, now func() time.Time) *crowd {
	return &crowd{
		limit: limit, log: log, now: now,
		conns: map[net.Conn]*list.Element{}, waiting: list.New(), fresh: map[net.Conn]bool{},
	}
}

// state follows the life of a connection; see [http.Server.ConnState].
func (c *crowd) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		c.enter(conn)
		return
	}
	place, known := c.conns[conn]
	if !known {
		return // it made room for another, and its server has not noticed yet
	}
	delete(c.fresh, conn)
	if place != nil {
		c.waiting.Remove(place)
	}
	switch state {
	case http.StateActive:
		c.conns[conn] = nil
	case http.StateIdle:
		c.conns[conn] = c.waiting.PushBack(conn)
	case http.StateClosed, http.StateHijacked, http.StateNew:
		delete(c.conns, conn)
	}
}

func (c *crowd) enter(conn net.Conn) {
	longest := c.waiting.Front()
	switch {
	case c.over:
		_ = wire(conn).Close() // nothing was said
		return
	case len(c.conns) < c.limit:
	case longest != nil:
		c.drop(longest.Value.(net.Conn))
	default:
		c.turnAway(conn)
		return
	}
	c.conns[conn] = c.waiting.PushBack(conn)
	c.fresh[conn] = true
}

// drop closes a connection that waits.
func (c *crowd) drop(conn net.Conn) {
	c.waiting.Remove(c.conns[conn])
	delete(c.conns, conn)
	delete(c.fresh, conn)
	_ = wire(conn).Close() // its client comes again
}

const busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// turnAway answers before the client asked. It never waits: what is in busy fits the buffer of a new connection.
func (c *crowd) turnAway(conn net.Conn) {
	if _, encrypted := conn.(*tls.Conn); !encrypted {
		_, _ = io.WriteString(conn, busy)
	}
	_ = wire(conn).Close()
	if now := c.now(); now.Sub(c.lamented) > time.Minute {
		c.lamented = now
		c.log.Warn("all connections are at work: new ones are turned away", slog.Int("connections", c.limit))
	}
}

// disperse closes the connections over which nothing was asked yet, and lets nobody in any more. Clients open
// some in advance, and an orderly end would wait for what they might ask.
func (c *crowd) disperse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for conn := range c.fresh {
		c.drop(conn)
	}
}

// wire is the connection below TLS: to close that is to say nothing more, and never waits for the client.
func wire(conn net.Conn) net.Conn {
	if t, ok := conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return conn
}

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

// connLimiter limits the number of connections. At the limit, it closes the connection that has been without a complete
// request for the longest time. So clients that send nothing, or never finish a request, do not shut out other clients.
// If all connections have running requests, it rejects the new connection.
//
// There is no limit for each address, because behind a proxy all clients have the same address.
type connLimiter struct {
	limit int
	log   *slog.Logger
	now   func() time.Time

	mu      sync.Mutex                 // guards the fields below
	conns   map[net.Conn]*list.Element // the element in waiting, nil for a connection with a request
	waiting *list.List                 // of net.Conn without a request, the longest waiting first
	unused  map[net.Conn]bool          // waiting connections without any request so far
	closed  bool                       // no connection is accepted any more
	warned  time.Time                  // when a rejection was logged last
}

func newConnLimiter(limit int, log *slog.Logger, now func() time.Time) *connLimiter {
	return &connLimiter{
		limit: limit, log: log, now: now,
		conns: map[net.Conn]*list.Element{}, waiting: list.New(), unused: map[net.Conn]bool{},
	}
}

// onStateChange updates the counts when a connection gets a new state. The server calls it, see
// [http.Server.ConnState].
func (c *connLimiter) onStateChange(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		c.admit(conn)
		return
	}
	element, known := c.conns[conn]
	if !known {
		return // drop closed it, and the server has not noticed yet
	}
	delete(c.unused, conn)
	if element != nil {
		c.waiting.Remove(element)
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

func (c *connLimiter) admit(conn net.Conn) {
	longest := c.waiting.Front()
	switch {
	case c.closed:
		_ = rawConn(conn).Close() // nothing was sent
		return
	case len(c.conns) < c.limit:
	case longest != nil:
		c.drop(longest.Value.(net.Conn))
	default:
		c.reject(conn)
		return
	}
	c.conns[conn] = c.waiting.PushBack(conn)
	c.unused[conn] = true
}

// drop closes a connection without a request.
func (c *connLimiter) drop(conn net.Conn) {
	c.waiting.Remove(c.conns[conn])
	delete(c.conns, conn)
	delete(c.unused, conn)
	_ = rawConn(conn).Close() // its client connects again
}

const busyResponse = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// reject sends a response before the client has sent a request. It never waits, because the response fits into the
// buffer of a new connection.
func (c *connLimiter) reject(conn net.Conn) {
	if _, encrypted := conn.(*tls.Conn); !encrypted {
		_, _ = io.WriteString(conn, busyResponse)
	}
	_ = rawConn(conn).Close()
	if now := c.now(); now.Sub(c.warned) > time.Minute {
		c.warned = now
		c.log.Warn("all connections are at work: new ones are turned away", slog.Int("connections", c.limit))
	}
}

// closeUnusedConns closes the connections that have had no request yet, and makes the limiter reject new connections.
// Clients open connections in advance, and [http.Server.Shutdown] would wait for their first requests.
func (c *connLimiter) closeUnusedConns() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for conn := range c.unused {
		c.drop(conn)
	}
}

// rawConn returns the connection below TLS. Closing the raw connection sends nothing, so it never waits for the client.
func rawConn(conn net.Conn) net.Conn {
	if t, ok := conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return conn
}

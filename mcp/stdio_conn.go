package mcp

import (
	"context"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// maxInFlight is how many requests one client may have open before we stop reading.
const maxInFlight = 4096

// conn is one client at two streams. Each request runs in its own goroutine, so a call that waits holds up
// nothing; initialize alone is answered before the next line is read, because it says who asks.
type conn struct {
	server  *Server
	session *session
	out     *jsonrpc.Writer

	calls context.Context // of all requests; outlives the end of input
	waits context.Context // of those that the end of input cuts short, within calls
	slots chan struct{}

	ends chan sdk.JSONRPCMessage // answers that end a stream

	pending sync.WaitGroup // requests that the end of input waits for
	streams sync.WaitGroup // what ends with the connection: subscriptions/listen, and its first announcement

	requests jsonrpc.Requests
}

func newConn(s *Server, out *jsonrpc.Writer, calls, waits context.Context) *conn {
	return &conn{
		server: s, session: newSession(s), out: out,
		calls: calls, waits: waits,
		slots: make(chan struct{}, maxInFlight),
		ends:  make(chan sdk.JSONRPCMessage),
	}
}

// receive takes in one line.
func (c *conn) receive(ctx context.Context, l jsonrpc.Line) {
	switch {
	case l.TooLong():
		m := jsonrpc.Message{ID: l.ID()}
		c.out.Send(m.Refuse(sdk.INVALID_REQUEST, "the message has %d bytes, at most %d are accepted: "+
			"put what is large into a file and send its path", l.Size, jsonrpc.MaxLine))
	case isBatch(l.Text):
		c.receiveBatch(ctx, l.Text)
	default:
		m, malformed := jsonrpc.Parse(l.Text)
		if malformed != nil {
			c.out.Send(*malformed)
			return
		}
		c.dispatch(ctx, m)
	}
}

func (c *conn) dispatch(ctx context.Context, m jsonrpc.Message) {
	r := c.begin(m)
	switch {
	case r == nil:
	case m.Method == string(sdk.MethodInitialize):
		c.deliver(c.server.respond(&c.requests, r))
	case m.Method == string(sdk.MethodSubscriptionsListen):
		c.spawn(ctx, &c.streams, r, func(r reply) {
			if r.message != nil {
				c.ends <- r.message
			}
		})
	default:
		c.spawn(ctx, &c.pending, r, c.deliver)
	}
}

// begin makes a request known, so that from here on it can be cancelled. For any other message it does what
// is to be done and gives nil.
func (c *conn) begin(m jsonrpc.Message) *jsonrpc.Request {
	if id, ok := m.Cancels(); ok {
		c.requests.Cancel(id)
		return nil
	}
	if m.IsResponse() {
		return nil
	}
	parent := c.calls
	if waits(m) || m.Method == string(sdk.MethodInitialize) { // while it is answered nothing is read
		parent = c.waits
	}
	ctx := c.server.sdk.WithContext(parent, c.session)
	if m.ID == nil {
		c.server.handle(ctx, m.Text)
		return nil
	}
	return c.requests.Track(ctx, m)
}

// spawn answers a request in the group as soon as a slot is free, and declines it when nothing more is
// accepted.
func (c *conn) spawn(ctx context.Context, group *sync.WaitGroup, r *jsonrpc.Request, deliver func(reply)) {
	select {
	case c.slots <- struct{}{}:
		group.Go(func() {
			defer func() { <-c.slots }()
			deliver(c.server.respond(&c.requests, r))
		})
		return
	case <-ctx.Done():
	case <-c.out.Broken:
	}
	group.Go(func() { deliver(decline(&c.requests, r)) })
}

func (c *conn) deliver(r reply) {
	if r.message == nil || !c.out.Send(r.message) {
		r.lose()
	}
}

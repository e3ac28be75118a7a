package mcp

import (
	"context"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// maxInFlight is how many requests of one client may be under way. Then no more are read until one ends.
const maxInFlight = 4096

// conn is the connection of one client over two streams. Each request runs in a goroutine of its own, so a call that
// waits holds up no other. Only initialize gets its response before the next line is read, because it says who calls.
type conn struct {
	server  *Server
	session *session
	out     *jsonrpc.Writer

	calls context.Context // of all requests; outlives the end of input
	waits context.Context // of those that the end of input cuts short, within calls
	slots chan struct{}

	ends chan sdk.JSONRPCMessage // responses that end a subscription

	pending sync.WaitGroup // requests that the end of input waits for
	streams sync.WaitGroup // subscriptions/listen and the first announcement, which end with the connection

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

// receive processes one line.
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

// begin makes a request known, so that from here on it can be cancelled. Any other message it processes, and returns
// nil.
func (c *conn) begin(m jsonrpc.Message) *jsonrpc.Request {
	if id, ok := m.Cancels(); ok {
		c.requests.Cancel(id)
		return nil
	}
	if m.IsResponse() {
		return nil
	}
	parent := c.calls
	if waits(m) || m.Method == string(sdk.MethodInitialize) { // during initialize nothing is read
		parent = c.waits
	}
	ctx := c.server.sdk.WithContext(parent, c.session)
	if m.ID == nil {
		c.server.handle(ctx, m.Text)
		return nil
	}
	return c.requests.Track(ctx, m)
}

// spawn responds to a request in the group as soon as a slot is free. It declines the request when the connection ends
// before.
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

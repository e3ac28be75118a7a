package mcp

import (
	"context"
	"sync"
	"sync/atomic"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// maxInFlight is how many requests one client may have open before we stop reading.
const maxInFlight = 4096

// conn is one client at two streams. Each request runs in its own goroutine, so a call that waits holds up
// nothing; initialize alone is answered before the next line is read, because it says who asks.
type conn struct {
	server  *Server
	session *session
	out     *writer

	calls  context.Context // of all requests; outlives the end of input
	waits  context.Context // of those that wait for mail, within calls
	opened chan struct{}   // closed when the mailbox knows the connection
	slots  chan struct{}

	ends chan sdk.JSONRPCMessage // answers that end a stream

	pending sync.WaitGroup // requests that the end of input waits for
	streams sync.WaitGroup // subscriptions/listen, which end with the connection

	mu       sync.Mutex // guards the field below
	inFlight map[string]*request
}

// request is one that was not answered yet.
type request struct {
	cancel    context.CancelFunc
	cancelled atomic.Bool
}

func newConn(s *Server, out *writer, calls, waits context.Context) *conn {
	return &conn{
		server: s, session: newSession(s.config.NewRequestID()), out: out,
		calls: calls, waits: waits,
		opened: make(chan struct{}), slots: make(chan struct{}, maxInFlight),
		ends: make(chan sdk.JSONRPCMessage), inFlight: map[string]*request{},
	}
}

// receive takes in one line.
func (c *conn) receive(ctx context.Context, l line) {
	switch {
	case l.tooLong():
		m := message{ID: l.id()}
		c.out.send(m.refuse(sdk.INVALID_REQUEST, "the message has %d bytes, at most %d are accepted: "+
			"put what is large into a file and send its path", l.size, MaxLine))
	case isBatch(l.text):
		c.receiveBatch(ctx, l.text)
	default:
		m, refused := parse(l.text)
		if refused != nil {
			c.out.send(*refused)
			return
		}
		c.dispatch(ctx, m)
	}
}

func (c *conn) dispatch(ctx context.Context, m message) {
	answer := c.begin(m)
	switch {
	case answer == nil:
	case m.Method == string(sdk.MethodInitialize):
		c.out.send(answer())
	case m.Method == string(sdk.MethodSubscriptionsListen):
		c.spawn(ctx, &c.streams, func() { c.ends <- answer() })
	default:
		c.spawn(ctx, &c.pending, func() { c.out.send(answer()) })
	}
}

// begin makes a request known, so that from here on it can be cancelled, and gives what answers it. For any
// other message it does what is to be done and gives nil.
func (c *conn) begin(m message) func() sdk.JSONRPCMessage {
	if id, ok := m.cancels(); ok {
		c.cancel(id)
		return nil
	}
	if m.isAnswer() {
		return nil
	}
	parent := c.calls
	if m.waits() {
		parent = c.waits
	}
	ctx := c.server.sdk.WithContext(parent, c.session)
	if m.ID == nil {
		c.server.handle(ctx, m.text)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &request{cancel: cancel}
	c.track(m, r)
	return func() sdk.JSONRPCMessage {
		defer c.untrack(m, r)
		return c.answer(ctx, m, r)
	}
}

// answer gives nil for a request that was cancelled: the protocol forbids an answer.
func (c *conn) answer(ctx context.Context, m message, r *request) sdk.JSONRPCMessage {
	if m.Method == string(sdk.MethodToolsCall) {
		<-c.opened
	}
	answer := c.server.handle(ctx, m.text)
	if r.cancelled.Load() {
		return nil
	}
	return m.answered(answer)
}

// spawn runs f in the group as soon as a slot is free.
func (c *conn) spawn(ctx context.Context, group *sync.WaitGroup, f func()) {
	select {
	case c.slots <- struct{}{}:
		group.Go(func() {
			defer func() { <-c.slots }()
			f()
		})
	case <-ctx.Done(): // nothing more is accepted
	}
}

func (c *conn) track(m message, r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight[string(m.ID)] = r
}

func (c *conn) untrack(m message, r *request) {
	r.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight[string(m.ID)] == r { // not one that reused the id
		delete(c.inFlight, string(m.ID))
	}
}

func (c *conn) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.inFlight[id]; ok {
		r.cancelled.Store(true)
		r.cancel()
	}
}

func (c *conn) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inFlight)
}

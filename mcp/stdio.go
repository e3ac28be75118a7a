package mcp

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools/platform"
)

const (
	// waitGrace is the time that long polls and the announcement of the connection may still take after the end of
	// input. In this time, a long poll can return mail that is already there.
	waitGrace = 250 * time.Millisecond

	closeTimeout = time.Second // for the rest, after all calls have their responses
)

// ServeStdio serves one client over two streams until in ends, out breaks or ctx is done. Then it still responds to
// running calls, for at most Drain of [Config]. It ends long polls after 250 ms.
//
// The error is a read or write error, or says how many requests got no response in time. It is nil if the client left.
// If a read of in does not return when ctx ends, its goroutine stays behind.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	calls, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	waits, cut := context.WithCancel(calls)
	defer cut()
	c := &conn{
		server: s, session: newSession(s), out: jsonrpc.NewWriter(out, s.config.Logger), calls: calls, waits: waits,
		slots: make(chan struct{}, maxInFlight), ends: make(chan sdk.JSONRPCMessage),
	}
	c.session.send = c.out.Send
	if err := s.sdk.RegisterSession(calls, c.session); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	notified := make(chan struct{})
	go func() {
		defer close(notified)
		c.writeNotifications()
	}()
	if by := s.config.Caller; by.Agent != "" { // others are announced when the client has sent its name
		c.streams.Go(func() { c.session.naming.announce(waits, by, openTimeout) })
	}

	grace := sync.OnceFunc(func() { time.AfterFunc(waitGrace, cut) })
	defer context.AfterFunc(ctx, grace)()
	err := c.readLines(ctx, platform.CallOnEnd(in, grace)) // it may end while the last line is still being processed
	grace()
	drained := returnsWithin(s.config.Drain, c.pending.Wait)
	if !drained && c.requests.Len() == 0 { // the last response may still be on its way
		drained = returnsWithin(s.config.Drain, c.pending.Wait)
	}
	if !drained && err == nil {
		err = fmt.Errorf("%s had no answer, or an answer that was not taken, within %v",
			schemas.CountNoun(c.requests.Len(), "request"), s.config.Drain)
	}
	s.sdk.UnregisterSession(calls, c.session.SessionID())
	c.session.naming.callClose(calls)
	hangUp() // ends subscriptions/listen, which is answered last
	returnsWithin(closeTimeout, func() {
		c.streams.Wait()
		close(c.ends)
		<-notified
	})
	if err == nil {
		err = c.out.Close()
	}
	return err
}

// returnsWithin reports whether wait returned within the limit. If wait never returns, its goroutine stays behind.
func returnsWithin(limit time.Duration, wait func()) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return returnsBefore(ctx, wait)
}

// returnsBefore reports whether wait returned before ctx was done.
func returnsBefore(ctx context.Context, wait func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// writeNotifications writes notifications. The response that ends a subscription is written after its notifications.
func (c *conn) writeNotifications() {
	order := subscriptionOrder{session: c.session}
	for {
		select {
		case n := <-c.session.ClientNotifications():
			c.sendAll(order.takeNext(n))
		case end, more := <-c.ends:
			if !more {
				return
			}
			c.sendAll(order.takeAll(c.session.ClientNotifications()))
			c.out.Send(end)
			order.dropSubscription(end)
		}
	}
}

func (c *conn) sendAll(notifications []sdk.JSONRPCNotification) {
	for _, n := range notifications {
		c.out.Send(n)
	}
}

// readLines receives messages until the client closes the input or ctx is done.
func (c *conn) readLines(ctx context.Context, in io.Reader) error {
	lines, ended := jsonrpc.ReadLines(in, c.calls.Done())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.out.Broken:
			return nil
		case l, more := <-lines:
			if more {
				c.handleLine(ctx, l)
			} else if err := <-ended; err != nil {
				return fmt.Errorf("read from client: %w", err)
			} else {
				return nil
			}
		}
	}
}

// maxInFlight is the largest number of running requests of one client. At the limit, the server reads the next request
// only after one ends.
const maxInFlight = 4096

// conn is the connection of one client over two streams. Each request runs in its own goroutine, so a long poll delays
// no other request. Only initialize gets its response before the next line is read, because it names the client.
type conn struct {
	server  *Server
	session *session
	out     *jsonrpc.Writer

	calls context.Context // of all requests; outlives the end of input
	waits context.Context // of requests that the end of input cuts short, within calls
	slots chan struct{}

	ends chan sdk.JSONRPCMessage // responses that end a subscription

	pending sync.WaitGroup // requests that the end of input waits for
	streams sync.WaitGroup // subscriptions/listen and the first announcement, which end with the connection

	requests jsonrpc.OpenRequests
}

// handleLine processes one line.
func (c *conn) handleLine(ctx context.Context, l jsonrpc.Line) {
	if l.IsTooLong() {
		m := jsonrpc.Message{ID: l.ID()}
		c.out.Send(m.ErrorResponse(sdk.INVALID_REQUEST, "the message has %d bytes, at most %d are accepted: "+
			"put what is large into a file and send its path", l.Size, jsonrpc.MaxLine))
		return
	}
	m, malformed := jsonrpc.ParseMessage(l.Text)
	if malformed != nil {
		c.out.Send(*malformed)
		return
	}
	c.dispatchMessage(ctx, m)
}

func (c *conn) dispatchMessage(ctx context.Context, m jsonrpc.Message) {
	r := c.trackRequest(m)
	switch {
	case r == nil:
	case m.Method == string(sdk.MethodInitialize):
		c.deliverReply(c.server.respondToRequest(&c.requests, r))
	case m.Method == string(sdk.MethodSubscriptionsListen):
		c.respondInGroup(ctx, &c.streams, r, func(r reply) {
			if r.message != nil {
				c.ends <- r.message
			}
		})
	default:
		c.respondInGroup(ctx, &c.pending, r, c.deliverReply)
	}
}

// trackRequest registers a request, so that the client can cancel it. It processes any other message itself, and
// returns nil.
func (c *conn) trackRequest(m jsonrpc.Message) *jsonrpc.OpenRequest {
	if id, ok := m.CancelledID(); ok {
		c.requests.Cancel(id)
		return nil
	}
	if m.IsResponse() {
		c.session.takeAnswer(m)
		return nil
	}
	parent := c.calls
	if isLongPoll(m) || m.Method == string(sdk.MethodInitialize) { // nothing is read during initialize
		parent = c.waits
	}
	ctx := c.server.sdk.WithContext(parent, c.session)
	if m.ID == nil {
		c.server.handleMessage(ctx, m)
		return nil
	}
	return c.requests.Track(ctx, m)
}

// respondInGroup runs a request as a member of a wait group, as soon as one of the maxInFlight slots is free. If the
// connection ends first, it declines the request.
func (c *conn) respondInGroup(ctx context.Context, group *sync.WaitGroup, r *jsonrpc.OpenRequest, deliver func(reply)) {
	select {
	case c.slots <- struct{}{}:
		group.Go(func() {
			defer func() { <-c.slots }()
			deliver(c.server.respondToRequest(&c.requests, r))
		})
		return
	case <-ctx.Done():
	case <-c.out.Broken:
	}
	group.Go(func() { deliver(declineRequest(&c.requests, r)) })
}

func (c *conn) deliverReply(r reply) {
	if r.message == nil || !c.out.Send(r.message) {
		r.undoEffects()
	}
}

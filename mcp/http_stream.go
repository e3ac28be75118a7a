package mcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// stream responds to subscriptions/listen: with notifications until the client hangs up or the server ends, and then
// with the result.
func (x *exchange) stream(s *session, m jsonrpc.Message) {
	if full := x.streamQuota.acquire(x.by.Token, 1); full != nil {
		x.refuse(full)
		return
	}
	defer x.streamQuota.release(x.by.Token, 1)
	ctx, done := x.requestContext(s, m)
	defer done()
	q := new(jsonrpc.Requests)
	r, responded := q.Track(ctx, m), make(chan struct{})
	var response reply
	go func() {
		defer close(responded)
		response = x.server.respond(q, r)
	}()
	out := x.events()
	if !x.notify(s, out, responded) {
		done()
		<-responded
		return
	}
	if out.sendAll(out.order.drain(s.ClientNotifications())); out.opened { // else there was no event so far
		out.send(response.message)
	} else {
		x.deliver(response, true)
	}
}

// notify writes the notifications of a session until over is closed. It returns false if the client does not accept
// one, or is no longer allowed to read.
func (x *exchange) notify(s *session, out *eventStream, over <-chan struct{}) bool {
	for ok := true; ok; {
		select {
		case <-over:
			return true
		case n := <-s.ClientNotifications():
			ok = x.stillAllowed() && out.sendAll(out.order.next(n))
		case <-time.After(keepAliveInterval):
			ok = x.stillAllowed() && out.keepAlive()
		}
	}
	return false
}

// handleGet opens a stream for the notifications of a session, in revisions before 2026-07-28. When a session has
// several streams, each notification is sent on one of them.
func (x *exchange) handleGet() {
	s, done := x.legacySession()
	if s == nil {
		return
	}
	defer done()
	if !x.accepts(eventStreamType) {
		x.badRequest(http.StatusNotAcceptable, "accept text/event-stream")
		return
	}
	if full := x.streamQuota.acquire(x.by.Token, 1); full != nil {
		x.refuse(full)
		return
	}
	defer x.streamQuota.release(x.by.Token, 1)
	x.writeNotifications(s)
}

// stillAllowed reports whether the stream may go on. It returns false if the token of the stream is no longer valid. If
// the token cannot be checked now, for example while the owner of the store changes, the stream goes on.
func (x *exchange) stillAllowed() bool {
	err := schemas.AsError(x.config.Recheck(x.r))
	return err == nil || err.Code != schemas.Denied
}

// writeNotifications writes the notifications of a session until the client, the session or the server ends.
// Notifications on an earlier, broken stream may be lost, so each stream after the first begins with a notification for
// every resource that the session watches.
func (x *exchange) writeNotifications(s *mcpSession) {
	out := x.events()
	out.open()
	ok := x.control.Flush() == nil
	if s.streamed.Swap(true) {
		for _, t := range s.watch.find(func(address) bool { return true }) {
			ok = ok && out.send(t.updated())
		}
	}
	over, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(x.waits, cancel)()
	defer context.AfterFunc(s.life, cancel)()
	_ = ok && x.notify(s.session, out, over.Done())
}

const (
	eventStreamType = "text/event-stream"

	// keepAliveInterval is the interval of comments on a silent stream, so that no proxy closes it.
	keepAliveInterval = 15 * time.Second

	// eventTimeout is the time limit for a client to receive one event.
	eventTimeout = 10 * time.Second
)

// eventStream is a response in which each message is an event of its own (WHATWG HTML, server-sent events).
type eventStream struct {
	x      *exchange
	order  subscriptionOrder
	opened bool
}

func (x *exchange) events() *eventStream { return &eventStream{x: x} }

// open writes the headers, once. The first event calls it if the stream is not open yet.
func (s *eventStream) open() {
	if s.opened {
		return
	}
	s.opened = true
	h := s.x.w.Header()
	h.Set("Content-Type", eventStreamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // else nginx holds events back
	s.x.writeHeader(http.StatusOK)
}

// send writes one message and reports whether the connection took it.
func (s *eventStream) send(message any) bool {
	text, _ := s.x.encode(message)
	return s.sendText(text)
}

func (s *eventStream) sendAll(notifications []sdk.JSONRPCNotification) bool {
	return !slices.ContainsFunc(notifications, func(n sdk.JSONRPCNotification) bool { return !s.send(n) })
}

func (s *eventStream) sendText(text []byte) bool {
	return s.write("event: message\ndata: %s\n\n", text)
}

// keepAlive writes a comment, which clients ignore.
func (s *eventStream) keepAlive() bool { return s.write(": live\n\n") }

func (s *eventStream) write(format string, a ...any) bool {
	s.open()
	_ = s.x.control.SetWriteDeadline(s.x.config.Now().Add(eventTimeout))
	_, err := fmt.Fprintf(s.x.w, format, a...)
	taken := err == nil && s.x.control.Flush() == nil
	if taken {
		_ = s.x.control.SetWriteDeadline(time.Time{}) // in HTTP/2 a deadline that passes ends a silent stream too
	}
	return taken
}

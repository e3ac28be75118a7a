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

// streamSubscription responds to subscriptions/listen. It sends notifications until the client hangs up or the server
// shuts down. Then it sends the result.
func (x *exchange) streamSubscription(s *session, m jsonrpc.Message) {
	if full := x.streamQuota.acquire(x.by.Token, 1); full != nil {
		x.respondWithRefusal(full)
		return
	}
	defer x.streamQuota.release(x.by.Token, 1)
	ctx, done := x.requestContext(s, m)
	defer done()
	q := new(jsonrpc.OpenRequests)
	r, responded := q.Track(ctx, m), make(chan struct{})
	var response reply
	go func() {
		defer close(responded)
		response = x.server.respondToRequest(q, r)
	}()
	out := x.newEventStream(s)
	if !x.writeUntil(s, out, responded) {
		done()
		<-responded
		return
	}
	if out.sendAll(out.order.takeAll(s.ClientNotifications())); out.opened { // else there was no event so far
		out.sendMessage(response.message)
	} else {
		x.deliverReply(response, true)
	}
}

// writeUntil writes the notifications of a session until over is closed. It returns false if the client does not take a
// notification, or may no longer read the stream.
func (x *exchange) writeUntil(s *session, out *eventStream, over <-chan struct{}) bool {
	for ok := true; ok; {
		select {
		case <-over:
			return true
		case n := <-s.ClientNotifications():
			ok = x.isStillAllowed() && out.sendAll(out.order.takeNext(n))
		case <-time.After(keepAliveInterval):
			ok = x.isStillAllowed() && out.sendKeepAlive()
		}
	}
	return false
}

// handleGet opens a stream for the notifications of a session, in revisions before 2026-07-28. If a session has several
// streams, each notification is sent on one of the streams.
func (x *exchange) handleGet() {
	s, done := x.useLegacySession()
	if s == nil {
		return
	}
	defer done()
	if !x.acceptsType(eventStreamType) {
		x.refuseBadRequest(http.StatusNotAcceptable, "accept text/event-stream")
		return
	}
	if full := x.streamQuota.acquire(x.by.Token, 1); full != nil {
		x.respondWithRefusal(full)
		return
	}
	defer x.streamQuota.release(x.by.Token, 1)
	x.streamNotifications(s)
}

// isStillAllowed reports whether the stream may continue. It returns false if the token is no longer valid. If the
// token cannot be checked now, for example while the owner of the store changes, the stream continues.
func (x *exchange) isStillAllowed() bool {
	err := schemas.AsError(x.config.Recheck(x.r))
	return err == nil || err.Code != schemas.Denied
}

// streamNotifications writes the notifications of a session until the client, the session or the server ends. A broken
// stream may have lost notifications. So each stream after the first begins with a notification for every resource that
// the session watches.
func (x *exchange) streamNotifications(s *mcpSession) {
	out := x.newEventStream(s.session)
	out.writeHeaders()
	ok := x.control.Flush() == nil
	if s.streamed.Swap(true) {
		for _, t := range s.watch.findWatched(func(resourceAddress) bool { return true }) {
			ok = ok && out.sendMessage(t.updateNotification())
		}
	}
	over, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(x.waits, cancel)()
	defer context.AfterFunc(s.life, cancel)()
	_ = ok && x.writeUntil(s.session, out, over.Done())
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

func (x *exchange) newEventStream(s *session) *eventStream {
	return &eventStream{x: x, order: subscriptionOrder{session: s}}
}

// writeHeaders writes the headers, once. The first event calls it if the stream is not open yet.
func (s *eventStream) writeHeaders() {
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

// sendMessage writes one message and reports whether the connection took it.
func (s *eventStream) sendMessage(message any) bool {
	text, _ := s.x.encodeMessage(message)
	return s.sendText(text)
}

func (s *eventStream) sendAll(notifications []sdk.JSONRPCNotification) bool {
	return !slices.ContainsFunc(notifications, func(n sdk.JSONRPCNotification) bool { return !s.sendMessage(n) })
}

func (s *eventStream) sendText(text []byte) bool {
	return s.writeEvent("event: message\ndata: %s\n\n", text)
}

// sendKeepAlive writes a comment, which clients ignore.
func (s *eventStream) sendKeepAlive() bool { return s.writeEvent(": live\n\n") }

func (s *eventStream) writeEvent(format string, a ...any) bool {
	s.writeHeaders()
	_ = s.x.control.SetWriteDeadline(s.x.config.Now().Add(eventTimeout))
	_, err := fmt.Fprintf(s.x.w, format, a...)
	taken := err == nil && s.x.control.Flush() == nil
	if taken {
		_ = s.x.control.SetWriteDeadline(time.Time{}) // in HTTP/2 a deadline that passes ends a silent stream too
	}
	return taken
}

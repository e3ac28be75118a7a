package mcp

import (
	"net/http"
	"time"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// stream responds to subscriptions/listen: with notifications until the client hangs up or the server ends, and then
// with the result.
func (x *exchange) stream(s *session, m jsonrpc.Message) {
	if full := x.open.acquire(x.by.Token, 1); full != nil {
		x.refuse(full)
		return
	}
	defer x.open.release(x.by.Token, 1)
	ctx, done := x.during(s, m)
	defer done()
	q := new(jsonrpc.Requests)
	r, responded := q.Track(ctx, m), make(chan reply, 1)
	go func() { responded <- x.server.respond(q, r) }()
	var order subscriptionOrder
	out := x.events()
	for ok := true; ; {
		select {
		case response := <-responded:
			x.finish(out, &order, s, response)
			return
		case n := <-s.ClientNotifications():
			ok = x.stillAllowed() && out.tell(order.next(n))
		case <-time.After(keepAliveInterval):
			ok = x.stillAllowed() && out.keepAlive()
		}
		if !ok {
			done()
			<-responded
			return
		}
	}
}

// finish ends a stream with the response, after the notifications before it. When there was no event so far, the
// response is no stream.
func (x *exchange) finish(out *eventStream, order *subscriptionOrder, s *session, response reply) {
	out.tell(order.drain(s.ClientNotifications()))
	if !out.opened {
		x.deliver(response, true)
		return
	}
	out.send(response.message)
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
		x.fault(http.StatusNotAcceptable, "accept text/event-stream")
		return
	}
	if full := x.open.acquire(x.by.Token, 1); full != nil {
		x.refuse(full)
		return
	}
	defer x.open.release(x.by.Token, 1)
	x.writeNotifications(s)
}

// stillAllowed reports whether the stream may go on: not when its token is no longer valid. When that cannot be checked
// now, as while the owner of the store changes, the stream goes on.
func (x *exchange) stillAllowed() bool {
	err := schemas.AsError(x.config.Still(x.r))
	return err == nil || err.Code != schemas.Denied
}

// writeNotifications writes the notifications of a session until the client, the session or the server ends. Those on
// an earlier stream that broke may not have arrived, so each stream after the first begins with a notification for
// every resource that the session watches.
func (x *exchange) writeNotifications(s *webSession) {
	out := x.events()
	out.open()
	ok := x.control.Flush() == nil
	if s.streamed.Swap(true) {
		for _, t := range s.watch.find(func(address) bool { return true }) {
			ok = ok && out.send(t.updated())
		}
	}
	for ok {
		select {
		case n := <-s.ClientNotifications():
			ok = x.stillAllowed() && out.send(n)
		case <-time.After(keepAliveInterval):
			ok = x.stillAllowed() && out.keepAlive()
		case <-x.r.Context().Done():
			return
		case <-x.waits.Done():
			return
		case <-s.ended:
			return
		}
	}
}

package mcp

import (
	"net/http"
	"time"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// stream answers subscriptions/listen: with what there is to say until the client leaves or the server ends,
// and then with the result.
func (x *exchange) stream(s *session, m jsonrpc.Message) {
	release, full := x.open.take(x.by.Token, 1)
	if full != nil {
		x.refuse(full)
		return
	}
	defer release()
	ctx, done := x.during(s, m)
	defer done()
	q := new(jsonrpc.Requests)
	r, answered := q.Track(ctx, m), make(chan reply, 1)
	go func() { answered <- x.server.respond(q, r) }()
	var order acknowledged
	out := x.events()
	for ok := true; ; {
		select {
		case said := <-answered:
			x.finish(out, &order, s, said)
			return
		case n := <-s.notifications:
			ok = x.welcome() && out.tell(order.next(n))
		case <-time.After(beat):
			ok = x.welcome() && out.live()
		}
		if !ok {
			done()
			<-answered
			return
		}
	}
}

// finish ends a stream with the answer, after what was said before it. One that said nothing was none.
func (x *exchange) finish(out *eventStream, order *acknowledged, s *session, said reply) {
	for {
		select {
		case n := <-s.notifications:
			out.tell(order.next(n))
			continue
		default:
		}
		break
	}
	if !out.opened {
		x.deliver(said, true)
		return
	}
	out.send(said.message)
}

// listen opens the stream on which a session of an older revision hears what it was not asked for. With several
// of them, each notification is on one.
func (x *exchange) listen() {
	s, done := x.older()
	if s == nil {
		return
	}
	defer done()
	if !x.accepts(eventStreamType) {
		x.fault(http.StatusNotAcceptable, "accept text/event-stream")
		return
	}
	release, full := x.open.take(x.by.Token, 1)
	if full != nil {
		x.refuse(full)
		return
	}
	defer release()
	x.hear(s)
}

// welcome tells whether the stream may go on: nobody hears more than its token is good for. Where that cannot be
// told just now, as while the owner of the store changes, it goes on.
func (x *exchange) welcome() bool {
	err := schemas.AsError(x.config.Still(x.r))
	return err == nil || err.Code != schemas.Denied
}

// hear writes what a session has to say until somebody ends it. What was said to a stream that broke may not
// have arrived: so each stream after the first begins with all that the session watches.
func (x *exchange) hear(s *webSession) {
	out := x.events()
	out.open()
	ok := x.control.Flush() == nil
	if s.heard.Swap(true) {
		for _, n := range x.server.watches.everything(s.session) {
			ok = ok && out.send(n)
		}
	}
	for ok {
		select {
		case n := <-s.notifications:
			ok = x.welcome() && out.send(n)
		case <-time.After(beat):
			ok = x.welcome() && out.live()
		case <-x.r.Context().Done():
			return
		case <-x.waits.Done():
			return
		case <-s.ended:
			return
		}
	}
}

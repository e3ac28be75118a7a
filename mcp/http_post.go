package mcp

import (
	"context"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// post takes in a message, or a batch of them.
func (x *exchange) post() {
	err := x.identify()
	limited := schemas.AsError(err)
	if limited != nil && (limited.Code != schemas.Limit || x.by.Token == "") { // of a stranger nothing is read
		x.refuse(err)
		return
	}
	if !x.accepts(jsonText) && !x.accepts(eventStreamType) {
		x.fault(http.StatusNotAcceptable, "accept application/json and text/event-stream")
		return
	}
	text, ok := x.body()
	if !ok {
		return
	}
	if limited == nil && isBatch(text) {
		x.postBatch(text)
		return
	}
	m, malformed := jsonrpc.Parse(text)
	switch {
	case limited != nil:
		x.limit(m, limited)
	case malformed != nil:
		x.write(http.StatusBadRequest, *malformed)
	case isModern(x.r.Header, m):
		x.postModern(m)
	default:
		x.postLegacy(m)
	}
}

// limit answers whoever asks for too much. A model is told in the result of its call, where it reads it.
func (x *exchange) limit(m jsonrpc.Message, e *schemas.Error) {
	if m.Method != string(sdk.MethodToolsCall) || m.ID == nil {
		x.refuse(e)
		return
	}
	x.sayWhen(e)
	x.write(http.StatusOK, x.refusedCall(m, e).message)
}

// refusedCall is the result of a call that is not made, where a model reads it. The SDK does not see it, so what
// revision 2026-07-28 wants of a result is added here.
func (x *exchange) refusedCall(m jsonrpc.Message, e *schemas.Error) reply {
	refused := refusal(e)
	if isModern(x.r.Header, m) {
		refused.SetResultType(sdk.ResultTypeComplete)
	}
	return reply{message: m.WithID(sdk.NewJSONRPCResultResponse(sdk.NewRequestId(nil), *refused))}
}

// postModern answers a message of revision 2026-07-28 or later, which has no session.
func (x *exchange) postModern(m jsonrpc.Message) {
	if fault := headerFault(x.r.Header, m); fault != nil {
		x.write(http.StatusBadRequest, *fault)
		return
	}
	s := newSession(x.server)
	s.greeted.Store(true) // server/discover introduces
	switch {
	case m.IsResponse():
		x.fault(http.StatusBadRequest, "the server asks nothing, so it takes no answer")
	case m.ID == nil: // a cancellation: who wants to cancel a request of this revision hangs up
		x.answer(http.StatusAccepted)
	case m.Method == string(sdk.MethodSubscriptionsListen):
		x.stream(s, m)
	default:
		x.deliver(x.call(s, new(jsonrpc.Requests), m), true)
	}
}

// postLegacy answers a message of an older revision: initialize begins a session, all others belong to one.
func (x *exchange) postLegacy(m jsonrpc.Message) {
	if m.Method == string(sdk.MethodInitialize) && m.ID != nil {
		x.initialize(m)
		return
	}
	s, done := x.session()
	if s == nil {
		return
	}
	defer done()
	x.by.AgentID = s.instance
	if id, ok := m.Cancels(); ok {
		s.requests.Cancel(id)
		x.answer(http.StatusAccepted)
		return
	}
	if m.IsResponse() || m.ID == nil {
		x.take(s, m)
		x.answer(http.StatusAccepted)
		return
	}
	x.deliver(x.call(s.session, &s.requests, m), false)
}

// take takes in a notification. Answers are to questions that nobody asked.
func (x *exchange) take(s *webSession, m jsonrpc.Message) {
	if m.IsResponse() {
		return
	}
	ctx, done := x.during(s.session, m)
	defer done()
	x.server.handle(ctx, m.Text)
}

// initialize begins a session, whose id is answered when the SDK accepts it.
func (x *exchange) initialize(m jsonrpc.Message) {
	s, full := x.sessions.open(x.by.Token)
	if full != nil {
		x.refuse(full)
		return
	}
	x.by.AgentID = s.instance
	said := x.call(s.session, &s.requests, m)
	if _, ok := said.message.(sdk.JSONRPCResponse); ok && x.r.Context().Err() == nil {
		x.w.Header().Set(sdk.HeaderSessionID, s.id)
	} else {
		x.sessions.end(s)
	}
	x.sessions.release(s)
	x.deliver(said, false)
}

// call answers one request. Only waits end with the connection, or with the server: what was asked for
// otherwise is done also when nobody waits for the answer.
func (x *exchange) call(s *session, q *jsonrpc.Requests, m jsonrpc.Message) reply {
	ctx, done := x.during(s, m)
	defer done()
	if !waits(m) {
		return x.server.respond(q, q.Track(ctx, m))
	}
	release, full := x.held.take(x.by.Token, 1)
	if full != nil {
		return x.refusedCall(m, full)
	}
	defer release()
	said := x.server.respond(q, q.Track(ctx, m))
	if err := x.config.Still(x.r); err != nil {
		said.lose()
		return x.refusedCall(m, schemas.AsError(err))
	}
	return said
}

// during gives the context of a request, until done is called.
func (x *exchange) during(s *session, m jsonrpc.Message) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(x.r.Context()))
	ends := []func() bool{context.AfterFunc(x.calls, cancel)}
	if waits(m) || m.Method == string(sdk.MethodSubscriptionsListen) {
		ends = append(ends, context.AfterFunc(x.waits, cancel), context.AfterFunc(x.r.Context(), cancel))
	}
	ctx = context.WithValue(ctx, callerKey{}, x.by)
	_ = x.control.SetWriteDeadline(time.Time{}) // until there is an answer
	return x.server.sdk.WithContext(ctx, s), func() {
		for _, forget := range ends {
			forget()
		}
		cancel()
	}
}

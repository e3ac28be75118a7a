package mcp

import (
	"context"
	"errors"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// handlePost responds to a message or a batch.
func (x *exchange) handlePost() {
	err := x.identify()
	later := schemas.AsError(err)
	if later != nil && later.Code != schemas.Unavailable && (later.Code != schemas.Limit || x.by.Token == "") {
		x.refuse(err) // before the body is read
		return
	}
	if !x.accepts(jsonText) && !x.accepts(eventStreamType) {
		x.badRequest(http.StatusNotAcceptable, "accept application/json and text/event-stream")
		return
	}
	text, ok := x.body()
	if !ok {
		return
	}
	if later == nil && isBatch(text) {
		x.postBatch(text)
		return
	}
	m, malformed := jsonrpc.Parse(text)
	switch {
	case later != nil:
		x.refuseMessage(m, later)
	case malformed != nil:
		x.write(http.StatusBadRequest, *malformed)
	case isModern(x.r.Header, m):
		x.postModern(m)
	default:
		x.postLegacy(m)
	}
}

// refuseMessage refuses a message of a caller that is above its limits, or whose token cannot be checked now. For a
// tool call the error is in the result, so that a model reads it.
func (x *exchange) refuseMessage(m jsonrpc.Message, e *schemas.Error) {
	if m.Method != string(sdk.MethodToolsCall) || m.ID == nil {
		x.refuse(e)
		return
	}
	x.setRetryAfter(e)
	x.write(http.StatusOK, x.refusedCall(m, e).message)
}

// refusedCall responds to a refused tool call, with the error in its result, so that a model reads it. The SDK does not
// see this result, so refusedCall adds the fields that revision 2026-07-28 requires of a result.
func (x *exchange) refusedCall(m jsonrpc.Message, e *schemas.Error) reply {
	refused := toolError(e)
	if isModern(x.r.Header, m) {
		refused.SetResultType(sdk.ResultTypeComplete)
	}
	return reply{message: m.WithID(sdk.NewJSONRPCResultResponse(sdk.NewRequestId(nil), *refused))}
}

// postModern responds to a message of revision 2026-07-28 or later, which has no MCP session.
func (x *exchange) postModern(m jsonrpc.Message) {
	if fault := headerError(x.r.Header, m); fault != nil {
		x.write(http.StatusBadRequest, *fault)
		return
	}
	s := newSession(x.server)
	s.greeted.Store(true) // the client has instructions from server/discover
	switch {
	case m.IsResponse():
		x.badRequest(http.StatusBadRequest, "the server asks nothing, so it takes no answer")
	case m.ID == nil: // a cancellation: a client of this revision cancels by hanging up
		x.writeHeader(http.StatusAccepted)
	case m.Method == string(sdk.MethodSubscriptionsListen):
		x.stream(s, m)
	default:
		x.deliver(x.call(s, new(jsonrpc.Requests), m), true)
	}
}

// postLegacy responds to a message of an older revision. Initialize begins an MCP session; all other messages belong to
// one.
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
	if x.receive(s, m) {
		x.writeHeader(http.StatusAccepted)
		return
	}
	x.deliver(x.call(s.session, &s.requests, m), false)
}

// receive handles a message that gets no response, and returns false for a request. It ignores a response: this server
// sends no requests.
func (x *exchange) receive(s *mcpSession, m jsonrpc.Message) bool {
	id, cancels := m.CancelledID()
	switch {
	case cancels:
		s.requests.Cancel(id)
	case m.IsResponse():
	case m.ID == nil:
		ctx, done := x.requestContext(s.session, m)
		defer done()
		x.server.handle(ctx, m)
	default:
		return false
	}
	return true
}

// initialize begins an MCP session. The response has the id of the session if the SDK accepts the request.
func (x *exchange) initialize(m jsonrpc.Message) {
	s, full := x.sessions.open(x.by.Token)
	if full != nil {
		x.refuse(full)
		return
	}
	x.by.AgentID = s.instance
	response := x.call(s.session, &s.requests, m)
	if _, ok := response.message.(sdk.JSONRPCResponse); ok && x.r.Context().Err() == nil {
		x.w.Header().Set(sdk.HeaderSessionID, s.SessionID())
	} else {
		x.sessions.end(s)
	}
	x.sessions.release(s)
	x.deliver(response, false)
}

// call responds to one request. A long poll ends with its connection or with the server. Any other call is finished
// even if its client hangs up.
func (x *exchange) call(s *session, q *jsonrpc.Requests, m jsonrpc.Message) reply {
	ctx, done := x.requestContext(s, m)
	defer done()
	if !waits(m) {
		return x.server.respond(q, q.Track(ctx, m))
	}
	if full := x.waitQuota.acquire(x.by.Token, 1); full != nil {
		return x.refusedCall(m, full)
	}
	defer x.waitQuota.release(x.by.Token, 1)
	response := x.server.respond(q, q.Track(ctx, m))
	if err := x.config.Recheck(x.r); err != nil {
		response.undelivered()
		return x.refusedCall(m, schemas.AsError(err))
	}
	return response
}

// requestContext returns the context of a request. The caller calls done when it has the response.
func (x *exchange) requestContext(s *session, m jsonrpc.Message) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(x.r.Context()))
	ends := []func() bool{context.AfterFunc(x.calls, cancel)}
	if waits(m) || m.Method == string(sdk.MethodSubscriptionsListen) {
		ends = append(ends, context.AfterFunc(x.waits, cancel), context.AfterFunc(x.r.Context(), cancel))
	}
	ctx = withNamedRequest(context.WithValue(ctx, callerKey{}, x.by), x.r, m, x.config.Now())
	_ = x.control.SetWriteDeadline(time.Time{}) // none until there is a response
	return x.server.sdk.WithContext(ctx, s), func() {
		for _, forget := range ends {
			forget()
		}
		cancel()
	}
}

// isModern reports whether a message is of revision 2026-07-28 or later, by its header or by its own text.
func isModern(h http.Header, m jsonrpc.Message) bool {
	return sdk.IsModernProtocol(h.Get(sdk.HeaderProtocolVersion)) || sdk.IsModernProtocol(versionOf(m))
}

// versionOf returns the revision in the message itself, which all requests have since 2026-07-28.
func versionOf(m jsonrpc.Message) string {
	if m.Call != nil && m.Call.Meta == nil {
		return ""
	}
	var p struct {
		Meta *sdk.Meta `json:"_meta"`
	}
	if schemas.Decode(m.Params, &p) != nil {
		return ""
	}
	return p.Meta.ProtocolVersion()
}

// headerError returns the error for headers that revision 2026-07-28 does not allow (MCP specification, Streamable
// HTTP, standard request headers), nil for none. The headers repeat parts of the message, so that proxies need not read
// it.
func headerError(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	named := h.Get(sdk.HeaderProtocolVersion)
	switch said := versionOf(m); {
	case h.Get(sdk.HeaderLastEventID) != "":
		const said = "streams are not resumed: leave out %s and send the request again"
		return m.Refuse(sdk.HEADER_MISMATCH, said, sdk.HeaderLastEventID)
	case named == "":
		return m.Refuse(sdk.HEADER_MISMATCH, "the header %s is missing", sdk.HeaderProtocolVersion)
	case said == "" && m.ID == nil: // a notification does not name its revision
		return nil
	case said == "":
		return m.Refuse(sdk.INVALID_PARAMS, "_meta lacks %s", sdk.MetaKeyProtocolVersion)
	case said != named:
		const fault = "the header %s is %q and the message says %q"
		return m.Refuse(sdk.HEADER_MISMATCH, fault, sdk.HeaderProtocolVersion, named, said)
	}
	if !sdk.IsValidProtocolVersion(named) {
		return nil // the error of the SDK names the known revisions
	}
	err := sdk.ValidateStandardHeaders(h.Get, named, sdk.MCPMethod(m.Method), m.Params)
	if mismatch := (sdk.HeaderMismatchError{}); errors.As(err, &mismatch) {
		return m.Refuse(sdk.HEADER_MISMATCH, "%s", mismatch.Error())
	}
	return nil
}

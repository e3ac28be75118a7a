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

// handlePost responds to a message.
func (x *exchange) handlePost() {
	err := x.setCaller()
	later := schemas.AsError(err)
	if later != nil && later.Code != schemas.Unavailable && (later.Code != schemas.Limit || x.by.Token == "") {
		x.respondWithRefusal(err) // before the body is read
		return
	}
	if !x.acceptsType(jsonText) && !x.acceptsType(eventStreamType) {
		x.refuseBadRequest(http.StatusNotAcceptable, "accept application/json and text/event-stream")
		return
	}
	text, ok := x.readMessage()
	if !ok {
		return
	}
	m, malformed := jsonrpc.ParseMessage(text)
	switch {
	case later != nil:
		x.refuseMessage(m, later)
	case malformed != nil:
		x.writeMessage(http.StatusBadRequest, *malformed)
	case isModern(x.r.Header, m):
		x.postModern(m)
	default:
		x.postLegacy(m)
	}
}

// refuseMessage refuses a message of a caller that has reached a limit, or whose token cannot be checked now. For a
// tool call the error is in the result, so that a model reads it.
func (x *exchange) refuseMessage(m jsonrpc.Message, e *schemas.Error) {
	if m.Method != string(sdk.MethodToolsCall) || m.ID == nil {
		x.respondWithRefusal(e)
		return
	}
	x.setRetryAfter(e)
	x.writeMessage(http.StatusOK, x.refusedCallReply(m, e).message)
}

// refusedCallReply returns the reply to a refused tool call. The error is in the result, so that a model reads it. The
// SDK does not see this result, so refusedCallReply adds the fields that revision 2026-07-28 requires.
func (x *exchange) refusedCallReply(m jsonrpc.Message, e *schemas.Error) reply {
	refused := errorResult(e)
	if isModern(x.r.Header, m) {
		refused.SetResultType(sdk.ResultTypeComplete)
	}
	return reply{message: m.ResponseWithID(sdk.NewJSONRPCResultResponse(sdk.NewRequestId(nil), *refused))}
}

// postModern responds to a message of revision 2026-07-28 or later, which has no MCP session.
func (x *exchange) postModern(m jsonrpc.Message) {
	if fault := headerError(x.r.Header, m); fault != nil {
		x.writeMessage(http.StatusBadRequest, *fault)
		return
	}
	if fault := x.server.paramHeaderError(x.r.Header, m); fault != nil {
		x.writeMessage(http.StatusBadRequest, *fault)
		return
	}
	s := newSession(x.server)
	s.greeted.Store(true) // the client has instructions from server/discover
	s.read = nil
	switch {
	case m.IsResponse():
		x.refuseBadRequest(http.StatusBadRequest, "the server asks nothing, so it takes no answer")
	case m.ID == nil: // a cancellation: a client of this revision cancels by hanging up
		x.writeHeader(http.StatusAccepted)
	case m.Method == string(sdk.MethodSubscriptionsListen):
		x.streamSubscription(s, m)
	default:
		x.deliverReply(x.respondToRequest(s, new(jsonrpc.OpenRequests), m), true)
	}
}

// postLegacy responds to a message of a revision before 2026-07-28. The message initialize begins an MCP session. All
// other messages belong to a session.
func (x *exchange) postLegacy(m jsonrpc.Message) {
	if m.Method == string(sdk.MethodInitialize) && m.ID != nil {
		x.beginSession(m)
		return
	}
	s, done := x.useSession()
	if s == nil {
		return
	}
	defer done()
	if x.handleUnlessRequest(s, m) {
		x.writeHeader(http.StatusAccepted)
		return
	}
	x.deliverReply(x.respondToRequest(s.session, &s.requests, m), false)
}

// handleUnlessRequest processes a notification, a cancellation or a response, and returns true. For a request, which
// needs a response, it does nothing and returns false.
func (x *exchange) handleUnlessRequest(s *mcpSession, m jsonrpc.Message) bool {
	id, cancels := m.CancelledID()
	switch {
	case cancels:
		s.requests.Cancel(id)
	case m.IsResponse():
	case m.ID == nil:
		ctx, done := x.requestContext(s.session, m)
		defer done()
		x.server.handleMessage(ctx, m)
	default:
		return false
	}
	return true
}

// beginSession begins an MCP session. The response contains the id of the session if the SDK accepts the request.
func (x *exchange) beginSession(m jsonrpc.Message) {
	s, full := x.sessions.openSession(x.by.Token)
	if full != nil {
		x.respondWithRefusal(full)
		return
	}
	x.by.AgentID = s.instance
	response := x.respondToRequest(s.session, &s.requests, m)
	if _, ok := response.message.(sdk.JSONRPCResponse); ok && x.r.Context().Err() == nil {
		x.w.Header().Set(sdk.HeaderSessionID, s.SessionID())
	} else {
		x.sessions.endSession(s)
	}
	x.sessions.releaseSession(s)
	x.deliverReply(response, false)
}

// respondToRequest returns the reply to one request. A long poll ends if its client hangs up or the server shuts down.
// Any other call is finished even if its client hangs up.
func (x *exchange) respondToRequest(s *session, q *jsonrpc.OpenRequests, m jsonrpc.Message) reply {
	ctx, done := x.requestContext(s, m)
	defer done()
	if !isLongPoll(m) {
		return x.server.respondToRequest(q, q.Track(ctx, m))
	}
	if full := x.waitQuota.acquire(x.by.Token, 1); full != nil {
		return x.refusedCallReply(m, full)
	}
	defer x.waitQuota.release(x.by.Token, 1)
	response := x.server.respondToRequest(q, q.Track(ctx, m))
	if err := x.config.Recheck(x.r); err != nil {
		response.undoEffects()
		return x.refusedCallReply(m, schemas.AsError(err))
	}
	return response
}

// requestContext returns the context in which a request runs. The caller must call done when it has the response.
func (x *exchange) requestContext(s *session, m jsonrpc.Message) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(x.r.Context()))
	ends := []func() bool{context.AfterFunc(x.calls, cancel)}
	if isLongPoll(m) || m.Method == string(sdk.MethodSubscriptionsListen) {
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

// paramHeaderError returns the error for headers that repeat arguments of a tool and do not agree with them, nil for
// others. Only tools of an [Extension] have such headers.
func (s *Server) paramHeaderError(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	if m.Call == nil || !s.isExtra(m.Call.Name) {
		return nil
	}
	if err := sdk.ValidateParamHeaders(h.Get, &s.sdk.GetTool(m.Call.Name).Tool, m.Params); err != nil {
		return m.ErrorResponse(sdk.HEADER_MISMATCH, "%s", err.Error())
	}
	return nil
}

// isModern reports whether a message is of revision 2026-07-28 or later. The header or the message itself names the
// revision.
func isModern(h http.Header, m jsonrpc.Message) bool {
	return sdk.IsModernProtocol(h.Get(sdk.HeaderProtocolVersion)) || sdk.IsModernProtocol(revisionInMessage(m))
}

// revisionInMessage returns the revision that the message itself names, "" if it names none. Since revision 2026-07-28
// each request names its revision.
func revisionInMessage(m jsonrpc.Message) string {
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

// headerError returns the error for headers that revision 2026-07-28 does not allow, nil for correct headers (MCP
// specification, Streamable HTTP, standard request headers). The headers repeat parts of the message, so that proxies
// need not read the message.
func headerError(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	named := h.Get(sdk.HeaderProtocolVersion)
	switch said := revisionInMessage(m); {
	case h.Get(sdk.HeaderLastEventID) != "":
		const said = "streams are not resumed: leave out %s and send the request again"
		return m.ErrorResponse(sdk.HEADER_MISMATCH, said, sdk.HeaderLastEventID)
	case named == "":
		return m.ErrorResponse(sdk.HEADER_MISMATCH, "the header %s is missing", sdk.HeaderProtocolVersion)
	case said == "" && m.ID == nil: // a notification does not name its revision
		return nil
	case said == "":
		return m.ErrorResponse(sdk.INVALID_PARAMS, "_meta lacks %s", sdk.MetaKeyProtocolVersion)
	case said != named:
		const fault = "the header %s is %q and the message says %q"
		return m.ErrorResponse(sdk.HEADER_MISMATCH, fault, sdk.HeaderProtocolVersion, named, said)
	}
	if !sdk.IsValidProtocolVersion(named) {
		return nil // the error of the SDK names the known revisions
	}
	if fault := taskHeaderError(h, m); fault != nil {
		return fault
	}
	err := sdk.ValidateStandardHeaders(h.Get, named, sdk.MCPMethod(m.Method), m.Params)
	if mismatch := (sdk.HeaderMismatchError{}); errors.As(err, &mismatch) {
		return m.ErrorResponse(sdk.HEADER_MISMATCH, "%s", mismatch.Error())
	}
	return nil
}

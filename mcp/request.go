package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools"
)

// reply is the response to a request.
type reply struct {
	message sdk.JSONRPCMessage // nil if the protocol forbids one
	undo    func()             // undoes effects that only the response names; nil if there are none
}

// undoEffects undoes the effects of a request whose reply did not arrive.
func (r reply) undoEffects() {
	if r.undo != nil {
		r.undo()
	}
}

// respondToRequest runs a request and returns the reply. The reply to a cancelled request has no message, because the
// protocol forbids a response.
func (s *Server) respondToRequest(q *jsonrpc.OpenRequests, r *jsonrpc.OpenRequest) reply {
	response, under := s.handleMessage(r.Context, r.Message)
	if q.Untrack(r) {
		return reply{undo: under.releaseClaim}
	}
	if _, named := r.Context.Value(namedRequestKey{}).(namedRequest); named { // another server may have delivered it
		under.releaseClaim = nil
	}
	return reply{message: r.ResponseWithID(response), undo: under.releaseClaim}
}

// declineRequest returns the reply to a request that came too late, because the connection has ended.
func declineRequest(q *jsonrpc.OpenRequests, r *jsonrpc.OpenRequest) reply {
	if q.Untrack(r) {
		return reply{}
	}
	e := shutdownError()
	refused := r.ErrorResponse(sdk.INTERNAL_ERROR, "%s", e.Message)
	refused.Error.Data = e
	return reply{message: *refused}
}

// handleMessage processes one message and returns the response, nil if the message gets none. The SDK gives all errors
// of handlers the code for internal errors, so handleMessage puts the right code into the response.
func (s *Server) handleMessage(ctx context.Context, m jsonrpc.Message) (response sdk.JSONRPCMessage, under *callState) {
	under = &callState{call: m.Call}
	ctx = context.WithValue(ctx, callStateKey{}, under)
	text := m.Text
	if m.Call != nil && !s.isExtra(m.Call.Name) {
		text = m.Call.Rest
	}
	defer func() {
		if p := recover(); p != nil {
			_ = s.logPanic(ctx, "protocol", p)
			response = jsonrpc.InternalError(sdk.NewRequestId(nil))
		}
	}()
	if response, plain := s.callWithoutSDK(ctx, m); plain {
		return response, under
	}
	if response, ours := s.answerTaskMethod(ctx, m); ours {
		return response, under
	}
	response = under.withTask(s.sdk.HandleMessage(ctx, text))
	if failed, ok := response.(sdk.JSONRPCError); ok {
		response = under.completeError(failed)
	}
	return response, under
}

// isLongPoll reports whether a message is a tool call that waits for work or for an answer.
func isLongPoll(m jsonrpc.Message) bool {
	call := m.Call
	if call == nil && m.Method == string(sdk.MethodToolsCall) {
		call = new(jsonrpc.ToolCall)
		if schemas.Decode(m.Params, call) != nil {
			return false
		}
	}
	if call == nil {
		return false
	}
	tool, err := tools.FindTool(call.Name)
	return err == nil && tool.AsksToWait(call.Arguments)
}

// shutdownError returns the error of a request that comes while the server ends.
func shutdownError() *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "the server is ending").
		WithHint("Nothing was done. Repeat the call when it is back.")
}

// completeError puts our error into an error of the SDK. For a resource that does not exist it also adds the address of
// the resource, as revision 2026-07-28 requires.
func (under *callState) completeError(e sdk.JSONRPCError) sdk.JSONRPCError {
	if under.protocolError != nil {
		e.Error = *under.protocolError
	}
	if under.failure != nil {
		e.Error.Code, e.Error.Message = under.code, under.failure.Error()
	}
	if under.failure != nil || under.uri != "" {
		e.Error.Data = struct {
			*schemas.Error
			URI string `json:"uri,omitempty"`
		}{under.failure, under.uri}
	}
	return e
}

// storeFailure stores the error of a request for handleMessage, and returns the error.
func storeFailure(ctx context.Context, e *schemas.Error) error {
	under := callStateOf(ctx)
	under.failure, under.code = e, protocolCode(ctx, e.Code)
	return e
}

// storeResourceURI stores the resource that a request reads.
func storeResourceURI(ctx context.Context, _ any, r *sdk.ReadResourceRequest) {
	callStateOf(ctx).uri = r.Params.URI
}

// protocolCode returns the code of the protocol for an error. The code for a missing resource is -32602 since revision
// 2026-07-28, and -32002 in earlier revisions.
func protocolCode(ctx context.Context, code schemas.Code) int {
	switch {
	case code == schemas.NotFound && !server.IsModernRequest(ctx):
		return sdk.RESOURCE_NOT_FOUND
	case code == schemas.Unavailable, code == schemas.Internal:
		return sdk.INTERNAL_ERROR
	}
	return sdk.INVALID_PARAMS
}

const claimTool = "claim_handoff"

// releaseTimeout is the time limit for releasing a claim.
const releaseTimeout = 5 * time.Second

// callState is the state of a message under way. Handlers find it in the context of the message.
type callState struct {
	call *jsonrpc.ToolCall // nil if the SDK reads all of the message
	uri  string            // of the resource that was read; empty for any other request

	task          *Task                    // the answer of a tool call in place of its result; nil for none
	protocolError *sdk.JSONRPCErrorDetails // see [FailRequest]

	taskIDs []string // of the tasks whose notifications a subscription is for

	// failure is the error of a handler and code its code of the protocol, which the SDK would lose. It is nil for an
	// error of the SDK itself.
	failure *schemas.Error
	code    int

	// releaseClaim releases the handoff that this call claimed. The server calls it if the response could not be
	// delivered, because then the client does not know the id. It is nil if the call claimed no handoff.
	releaseClaim func()
}

type callStateKey struct{}

func callStateOf(ctx context.Context) *callState { return ctx.Value(callStateKey{}).(*callState) }

// storeClaim stores a function that releases the claim of a successful call. The server calls this function if the
// response does not arrive.
func (s *Server) storeClaim(ctx context.Context, by schemas.Caller, tool string, args, result json.RawMessage) {
	if tool == claimTool {
		under := callStateOf(ctx)
		ctx = context.WithoutCancel(ctx)
		under.releaseClaim = func() { s.releaseClaim(ctx, by, args, result) }
	}
}

// releaseClaim releases the handoff that a call claimed from the queue. The release counts as no attempt.
//
// If the call named the handoff, the claim stays, because a caller that repeats the call gets the same claim. A caller
// without an AgentID does not get the same claim again, so its claim is released, too.
func (s *Server) releaseClaim(ctx context.Context, by schemas.Caller, args, result json.RawMessage) {
	var call schemas.ClaimIn
	if tool, err := tools.FindTool(claimTool); err == nil {
		canonical, _ := tool.CanonicalArgs(args)
		_ = schemas.Decode(canonical, &call) // it was accepted
	}
	var got schemas.ClaimOut
	stays := call.HandoffID != "" && by.AgentID != ""
	if err := schemas.Decode(result, &got); err != nil || got.HandoffID == 0 || stays {
		return
	}
	release := schemas.AdviseCall(schemas.UpdateIn{
		HandoffID: got.HandoffID.String(), Action: schemas.ActRelease, Token: got.Token,
	}, "").WithAgent(schemas.Agent(agentInArguments(args)))
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	if _, refused := callAndDecode[schemas.UpdateOut](ctx, s, by, release.Tool, release.Args); refused != nil {
		s.config.Logger.WarnContext(ctx, "claim not given back",
			slog.String("handoff", got.HandoffID.String()), slog.Any("error", refused))
	}
}

// agentInArguments returns the argument agent of a tool call, "" if there is none. Some clients send all arguments as a
// JSON text, so agentInArguments also reads that form.
func agentInArguments(args json.RawMessage) string {
	var text string
	if schemas.Decode(args, &text) == nil {
		args = json.RawMessage(text)
	}
	var a struct {
		Agent string `json:"agent"`
	}
	if schemas.Decode(args, &a) != nil {
		return ""
	}
	return a.Agent
}

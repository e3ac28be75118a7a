package mcp

import (
	"context"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// handle answers one message, or gives nil when there is nothing to answer. It is where an error of a
// handler gets the code that the protocol has for it: the SDK calls each of them internal.
func (s *Server) handle(ctx context.Context, text []byte) (answer sdk.JSONRPCMessage) {
	var slot failure
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked(ctx, "protocol", p)
			answer = jsonrpc.InternalError(sdk.NewRequestId(nil))
		}
	}()
	answer = s.sdk.HandleMessage(context.WithValue(ctx, failureKey{}, &slot), text)
	if failed, ok := answer.(sdk.JSONRPCError); ok {
		return slot.complete(failed)
	}
	return answer
}

// ending is the error of a request that a server refuses because it ends.
func ending() *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "the server is ending").
		WithHint("Nothing was done. Repeat the call when it is back.")
}

// failure carries an error past the SDK.
type failure struct {
	err  *schemas.Error // nil for an error that is the SDK's own
	code int
	uri  string // of the resource that was read; empty for any other request
}

// complete says of an error what the SDK does not know: ours, and the resource that it is about, as revision
// 2026-07-28 wants it for one that is not there.
func (f failure) complete(e sdk.JSONRPCError) sdk.JSONRPCError {
	if f.err != nil {
		e.Error.Code, e.Error.Message = f.code, f.err.Error()
	}
	if f.err != nil || f.uri != "" {
		e.Error.Data = struct {
			*schemas.Error
			URI string `json:"uri,omitempty"`
		}{f.err, f.uri}
	}
	return e
}

type failureKey struct{}

// failRequest makes the protocol error of a request that is not a tool call.
func failRequest(ctx context.Context, e *schemas.Error) error {
	if slot, ok := ctx.Value(failureKey{}).(*failure); ok {
		slot.err, slot.code = e, protocolCode(ctx, e.Code)
	}
	return e
}

// noteResource notes what a request reads.
func noteResource(ctx context.Context, _ any, r *sdk.ReadResourceRequest) {
	if slot, ok := ctx.Value(failureKey{}).(*failure); ok {
		slot.uri = r.Params.URI
	}
}

// protocolCode is -32002 for what does not exist, which the revision of 2026-07-28 folded into -32602.
func protocolCode(ctx context.Context, code schemas.Code) int {
	switch code {
	case schemas.NotFound:
		if !server.IsModernRequest(ctx) {
			return sdk.RESOURCE_NOT_FOUND
		}
		return sdk.INVALID_PARAMS
	case schemas.Unavailable, schemas.Internal:
		return sdk.INTERNAL_ERROR
	case schemas.Invalid, schemas.Conflict, schemas.Stale, schemas.Limit, schemas.Denied:
		return sdk.INVALID_PARAMS
	}
	return sdk.INVALID_PARAMS
}

package mcp

import (
	"context"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// handle answers one message, or gives nil when there is nothing to answer. It is where an error of a
// handler gets the code that the protocol has for it: the SDK calls each of them internal.
func (s *Server) handle(ctx context.Context, text []byte) (answer sdk.JSONRPCMessage) {
	var slot failure
	defer func() {
		if p := recover(); p != nil {
			_ = s.panicked(ctx, "protocol", p)
			answer = internalError(sdk.NewRequestId(nil))
		}
	}()
	answer = s.sdk.HandleMessage(context.WithValue(ctx, failureKey{}, &slot), text)
	if failed, ok := answer.(sdk.JSONRPCError); ok && slot.err != nil {
		failed.Error = sdk.JSONRPCErrorDetails{Code: slot.code, Message: slot.err.Error(), Data: slot.err}
		return failed
	}
	return answer
}

func internalError(id sdk.RequestId) sdk.JSONRPCError {
	return sdk.JSONRPCError{
		JSONRPC: sdk.JSONRPC_VERSION, ID: id,
		Error: sdk.JSONRPCErrorDetails{Code: sdk.INTERNAL_ERROR, Message: "internal error"},
	}
}

// failure carries an error past the SDK.
type failure struct {
	err  *schemas.Error
	code int
}

type failureKey struct{}

// failRequest makes the protocol error of a request that is not a tool call.
func failRequest(ctx context.Context, e *schemas.Error) error {
	if slot, ok := ctx.Value(failureKey{}).(*failure); ok {
		slot.err, slot.code = e, protocolCode(ctx, e.Code)
	}
	return e
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

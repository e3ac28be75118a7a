package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"handoff/schemas"
	"handoff/tools"
)

// invoke makes one call. Any error or panic below comes back as a coded error that a model may read, and in what comes
// back nothing is hidden from the eye that a model reads.
func (s *Server) invoke(ctx context.Context, by schemas.Caller, tool string, args json.RawMessage) (
	out json.RawMessage, refused *schemas.Error,
) {
	defer func() {
		if p := recover(); p != nil {
			out, refused = nil, schemas.InternalError(s.panicked(ctx, tool, p))
		}
	}()
	out, err := s.config.Invoker.Invoke(ctx, tools.Call{ID: s.config.NewRequestID(), Caller: by, Tool: tool, Args: args})
	if err != nil {
		refused = s.coded(ctx, tool, err)
		if refused.Code == schemas.Denied && by.Token != "" {
			s.config.Logger.InfoContext(ctx, "denied",
				slog.String("tool", tool), slog.String("token", by.Token), slog.String("agent", string(by.Agent)))
		}
		return nil, refused
	}
	return schemas.VisibleJSON(out), nil
}

// coded returns the error that the client sees. It logs the cause of an internal error, which the client must not see
// and no caller logs.
func (s *Server) coded(ctx context.Context, tool string, err error) *schemas.Error {
	var refused *schemas.Error
	switch {
	case !errors.As(err, &refused) && ctx.Err() != nil:
		return schemas.Errorf(schemas.Unavailable, "the call was cut short").
			WithHint("It was cancelled, or the connection is closing. Call again.")
	case refused == nil:
		refused = schemas.InternalError(err)
	}
	if cause := refused.Unwrap(); refused.Code == schemas.Internal && cause != nil {
		s.config.Logger.ErrorContext(ctx, "call failed", slog.String("tool", tool), slog.Any("error", cause))
	}
	return refused
}

// panicked logs a panic with its stack, and returns an error that names only where it happened.
func (s *Server) panicked(ctx context.Context, where string, p any) error {
	s.config.Logger.ErrorContext(ctx, "panic",
		slog.String("where", where), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	return fmt.Errorf("panic in %s", where)
}

// arguments are those of a call that this package makes itself.
type arguments map[string]any

// ask makes a call with arguments that encode as a JSON object, and decodes its result.
func ask[Out any](ctx context.Context, s *Server, by schemas.Caller, tool string, in any) (
	out Out, refused *schemas.Error,
) {
	encoded, err := json.Marshal(in)
	if err != nil {
		return out, s.coded(ctx, tool, err)
	}
	result, refused := s.invoke(ctx, by, tool, encoded)
	if refused != nil {
		return out, refused
	}
	if err := json.Unmarshal(result, &out); err != nil {
		return out, s.coded(ctx, tool, fmt.Errorf("decode result: %w", err))
	}
	return out, nil
}

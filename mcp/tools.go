package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
	"handoff/tools"
)

// addTools registers every tool of the table, without schemas. The SDK would search each schema for names of headers,
// which would slow down each start. describeTools adds the schemas when a client lists the tools.
func (s *Server) addTools() {
	for _, row := range tools.Table() {
		s.sdk.AddTool(sdk.Tool{Name: row.Name}, s.handleToolCall)
	}
}

// firstWithOutputSchemas is the first revision of the MCP specification whose tools have output schemas. Revisions are
// dates, so they are in the order of their texts.
const firstWithOutputSchemas = "2025-06-18"

// describeTools adds titles, descriptions, schemas and hints to a list of tools.
func describeTools(ctx context.Context, _ any, _ *sdk.ListToolsRequest, list *sdk.ListToolsResult) {
	for i, t := range list.Tools {
		if row, err := tools.FindTool(t.Name); err == nil {
			list.Tools[i] = toolDescription(row)
		}
		if server.RequestProtocolVersion(ctx) < firstWithOutputSchemas {
			list.Tools[i].RawOutputSchema = nil
		}
	}
}

// toolDescription returns a tool for the SDK with all four hints. If a hint were missing, the SDK would send that the
// tool is destructive or open to the world.
func toolDescription(row tools.Tool) sdk.Tool {
	t := sdk.NewToolWithRawSchema(row.Name, row.Description, row.InputSchema())
	t.Title, t.RawOutputSchema = row.Title, row.OutputSchema()
	t.Annotations = sdk.ToolAnnotation{
		Title: row.Title, ReadOnlyHint: &row.ReadOnly, IdempotentHint: &row.Idempotent,
		DestructiveHint: new(false), OpenWorldHint: new(false),
	}
	return t
}

// argumentsOrEmpty returns the arguments of a call, or an empty object for none.
func argumentsOrEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage(`{}`)
	}
	return args
}

// handleToolCall is the SDK's handler for tool calls. It never returns a Go error, because the SDK would turn it into a
// protocol error, which models do not see.
func (s *Server) handleToolCall(ctx context.Context, r sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := r.Params.Name
	if unknown, ok := r.Params.Arguments.(unknownTool); ok {
		name = string(unknown)
	}
	args := r.Params.RawArguments
	if call := callStateOf(ctx).call; call != nil { // the SDK got the message without its arguments
		args = call.Arguments
	}
	return s.callOfferedTool(ctx, name, argumentsOrEmpty(args), r.Params.Meta, r.Params.InputResponses), nil
}

// callWithoutSDK responds to a tool call of a revision before 2026-07-28 without the SDK. The SDK checks nothing in
// such a call, and would double the time of a small call. Ok is false for any other message, and while the server has
// to ask the client for its project.
func (s *Server) callWithoutSDK(ctx context.Context, m jsonrpc.Message) (response sdk.JSONRPCMessage, ok bool) {
	if m.Call == nil || !m.Call.Plain || s.lacksProject(ctx) || s.isExtra(m.Call.Name) {
		return nil, false
	}
	var meta *sdk.Meta
	if m.Call.Meta != nil && json.Unmarshal(m.Call.Meta, &meta) != nil || sdk.IsModernProtocol(meta.ProtocolVersion()) {
		return nil, false
	}
	result := s.callOfferedTool(ctx, m.Call.Name, argumentsOrEmpty(m.Call.Arguments), meta, nil)
	return sdk.NewJSONRPCResultResponse(sdk.NewRequestId(m.ID), result), true
}

// callOfferedTool calls a tool, or responds that it is not offered, or asks for input that the client did not give.
func (s *Server) callOfferedTool(
	ctx context.Context, tool string, args json.RawMessage, meta *sdk.Meta, inputs sdk.InputResponses,
) *sdk.CallToolResult {
	if row, _ := tools.FindTool(tool); row.Admin {
		e := schemas.Errorf(schemas.NotFound, "%s is not offered here", tool)
		return errorResult(e.WithHint("It belongs to the command line."))
	}
	if question := s.requestRoots(ctx, inputs); question != nil {
		return question
	}
	by := s.callerOf(ctx, meta)
	if result, waits := s.startWait(ctx, by, tool, args); waits {
		return result
	}
	out, refused := s.invokeTool(ctx, tools.Call{Caller: by, Tool: tool, Args: args})
	if refused != nil {
		return errorResult(refused)
	}
	s.storeClaim(ctx, by, tool, args, out)
	return s.toolResult(ctx, by, args, sessionOf(ctx).shorten(by, tool, args, out, false))
}

// toolResult returns the result of a successful tool call, with what the server adds for its model.
func (s *Server) toolResult(ctx context.Context, by schemas.Caller, args, out json.RawMessage) *sdk.CallToolResult {
	out = s.addGreeting(ctx, by, args, out)
	if declaresTasks(server.RequestProtocolInfoFromContext(ctx)) {
		out = adviseOneWait(out)
	}
	content := []sdk.Content{sdk.NewTextContent(string(out))}
	return &sdk.CallToolResult{Content: content, RawStructuredContent: out}
}

// errorResult returns the result of a failed tool call. It has no structured content, because some clients compare that
// with the output schema.
func errorResult(e *schemas.Error) *sdk.CallToolResult {
	return sdk.NewToolResultError(encodeForModel(e))
}

// encodeForModel encodes a value as JSON for a model. The value must have a type that JSON can always encode, such as a
// text, an id or advice.
func encodeForModel(v any) string {
	b, _ := schemas.Encode(v)
	return string(b)
}

// unknownTool replaces the arguments in a call of a tool that does not exist.
type unknownTool string

// isExtra reports whether a tool is one that [Extension.Extend] added.
func (s *Server) isExtra(tool string) bool {
	_, err := tools.FindTool(tool)
	return err != nil && s.config.Extension.Extend != nil && s.sdk.GetTool(tool) != nil
}

// redirectUnknownTool sends a call of a tool that is not offered to handleToolCall. The SDK would respond with a
// protocol error, which models do not see.
func (s *Server) redirectUnknownTool(_ context.Context, _ any, r *sdk.CallToolRequest) {
	if row, err := tools.FindTool(r.Params.Name); (err != nil || row.Admin) && !s.isExtra(r.Params.Name) {
		r.Params.Arguments = unknownTool(r.Params.Name)
		r.Params.Name = tools.Table()[0].Name
	}
}

// invokeTool makes one tool call, under a new request id if the call has none. It returns any error or panic as an error
// with a code. It makes hidden characters in the result visible, because a model would read them.
func (s *Server) invokeTool(ctx context.Context, c tools.Call) (out json.RawMessage, refused *schemas.Error) {
	defer func() {
		if p := recover(); p != nil {
			out, refused = nil, schemas.InternalError(s.logPanic(ctx, c.Tool, p))
		}
	}()
	if c.ID == "" {
		c.ID = s.requestID(ctx, c.Caller, c.Tool, c.Args)
	}
	out, err := s.config.Invoker.Invoke(ctx, c)
	if err != nil {
		refused = s.clientError(ctx, c.Tool, err)
		if by := c.Caller; refused.Code == schemas.Denied && by.Token != "" {
			s.config.Logger.InfoContext(ctx, "denied",
				slog.String("tool", c.Tool), slog.String("token", by.Token), slog.String("agent", string(by.Agent)))
		}
		return nil, refused
	}
	return schemas.EscapeHiddenJSON(out), nil
}

// clientError returns an error that the client may see. It logs the cause of an internal error and removes it from the
// result.
func (s *Server) clientError(ctx context.Context, tool string, err error) *schemas.Error {
	if _, known := errors.AsType[*schemas.Error](err); !known && ctx.Err() != nil {
		return schemas.Errorf(schemas.Unavailable, "the call was cut short").
			WithHint("It was cancelled, or the connection is closing. Call again.")
	}
	refused := schemas.AsError(err)
	if cause := refused.Unwrap(); refused.Code == schemas.Internal && cause != nil {
		s.config.Logger.ErrorContext(ctx, "call failed", slog.String("tool", tool), slog.Any("error", cause))
	}
	return refused
}

// logPanic logs a panic with its stack, and returns an error that names only the place.
func (s *Server) logPanic(ctx context.Context, where string, p any) error {
	s.config.Logger.ErrorContext(ctx, "panic",
		slog.String("where", where), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	return fmt.Errorf("panic in %s", where)
}

// callArguments holds the arguments of a call that this package makes itself.
type callArguments map[string]any

// callAndDecode makes a tool call of this package itself and decodes the result. The arguments must encode as a JSON
// object.
func callAndDecode[Out any](ctx context.Context, s *Server, by schemas.Caller, tool string, in any) (
	out Out, refused *schemas.Error,
) {
	encoded, err := json.Marshal(in)
	if err != nil {
		return out, s.clientError(ctx, tool, err)
	}
	result, refused := s.invokeTool(ctx, tools.Call{Caller: by, Tool: tool, Args: encoded})
	if refused != nil {
		return out, refused
	}
	if err := schemas.Decode(result, &out); err != nil {
		return out, s.clientError(ctx, tool, fmt.Errorf("decode result: %w", err))
	}
	return out, nil
}

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
	"handoff/tools"
)

// addTools offers every row of the table. It encodes each once, because the SDK would not respond to tools/list when
// one does not encode, and say nothing before.
func (s *Server) addTools() {
	for _, row := range tools.Table {
		tool := describe(row)
		if _, err := json.Marshal(tool); err != nil {
			panic(fmt.Sprintf("mcp: tool %s: %v", row.Name, err))
		}
		s.sdk.AddTool(tool, s.callTool)
	}
}

// describe sets all four hints: the SDK sends those that are left out as destructive and open to the world.
func describe(row tools.Tool) sdk.Tool {
	t := sdk.NewToolWithRawSchema(row.Name, row.Description, row.Input)
	t.Title, t.RawOutputSchema = row.Title, row.Output
	t.Annotations = sdk.ToolAnnotation{
		Title: row.Title, ReadOnlyHint: &row.ReadOnly, IdempotentHint: &row.Idempotent,
		DestructiveHint: new(false), OpenWorldHint: new(false),
	}
	return t
}

var noArguments = json.RawMessage(`{}`)

// callTool never returns a Go error: the SDK would make a protocol error of it, which models do not see.
func (s *Server) callTool(ctx context.Context, r sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if name, ok := r.Params.Arguments.(unknownTool); ok {
		return toolError(name.refuse()), nil
	}
	args, by := r.Params.RawArguments, s.caller(ctx, r.Params.Meta)
	if r.Params.Arguments == nil { // left out, or null
		args = noArguments
	}
	out, refused := s.invoke(ctx, by, r.Params.Name, args)
	if refused != nil {
		return toolError(refused), nil
	}
	s.noteClaim(ctx, by, r.Params.Name, args, out)
	out = s.addGreeting(ctx, by, args, out)
	content := []sdk.Content{sdk.NewTextContent(string(out))}
	return &sdk.CallToolResult{Content: content, RawStructuredContent: out}, nil
}

// toolError has no structured content, because some clients check that against the output schema.
func toolError(e *schemas.Error) *sdk.CallToolResult {
	return sdk.NewToolResultError(readable(e))
}

// readable encodes JSON for a model, of values that always encode: texts, ids and advice.
func readable(v any) string {
	b, _ := schemas.Encode(v)
	return string(b)
}

// unknownTool takes the place of the arguments in a call of a tool that does not exist.
type unknownTool string

// catchUnknown sends a call of an unknown tool to the handler that all tools share. The SDK would respond with a
// protocol error, which models do not see.
func catchUnknown(_ context.Context, _ any, r *sdk.CallToolRequest) {
	if !slices.ContainsFunc(tools.Table, func(row tools.Tool) bool { return row.Name == r.Params.Name }) {
		r.Params.Arguments = unknownTool(r.Params.Name)
		r.Params.Name = tools.Table[0].Name
	}
}

func (name unknownTool) refuse() *schemas.Error {
	if _, err := tools.Find(string(name)); err != nil {
		return schemas.AsError(err)
	}
	return schemas.Errorf(schemas.NotFound, "%s is not offered here", name).WithHint("It belongs to the command line.")
}

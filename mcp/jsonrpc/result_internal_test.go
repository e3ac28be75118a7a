package jsonrpc

import (
	"encoding/json"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// A result is encoded into the same bytes as by encoding/json.
func FuzzEncodeResult(f *testing.F) {
	f.Add(`{"a":"<b> & \u2028"}`, `"7"`, true, "complete", "server <1>")
	f.Add(`{}`, `-1e3`, false, "", "")
	f.Fuzz(func(t *testing.T, said, id string, failed bool, kind, meta string) {
		structured, err := json.MarshalIndent(map[string]string{"said": said}, "", " ")
		require.NoError(t, err)
		if !isID(json.RawMessage(id)) || !json.Valid([]byte(id)) {
			id = "1"
		}
		r := &sdk.CallToolResult{Content: []sdk.Content{sdk.NewTextContent(said)}, IsError: failed, RawStructuredContent: structured}
		if r.SetResultType(sdk.ResultType(kind)); meta != "" {
			r.EnsureResultMeta().AdditionalFields = map[string]any{"io.modelcontextprotocol/x": meta}
		}
		if failed {
			r.RawStructuredContent = nil
		}
		response := sdk.NewJSONRPCResultResponse(sdk.NewRequestId(json.RawMessage(id)), r)
		want, err := json.Marshal(response)
		require.NoError(t, err)
		got, ok := encodeResult(response)
		require.True(t, ok)
		require.Equal(t, string(want), string(got))
	})
}

// A list of tools is encoded into the same bytes as by encoding/json.
func FuzzEncodeList(f *testing.F) {
	f.Add("send", "Send <work> & wait \u2028", `{"type": "object", "a": "<b>"}`, "complete", int64(7))
	f.Add("x", "y", `{}`, "", int64(0))
	f.Fuzz(func(t *testing.T, name, description, schema, kind string, ttl int64) {
		if !json.Valid([]byte(schema)) || name == "" || description == "" {
			return
		}
		tool := sdk.NewToolWithRawSchema(name, description, json.RawMessage(schema))
		tool.Title, tool.RawOutputSchema, tool.Annotations.IdempotentHint = name, json.RawMessage(schema), new(ttl > 0)
		r := sdk.ListToolsResult{Tools: []sdk.Tool{tool, tool}[:min(2, max(1, ttl))]}
		if r.SetResultType(sdk.ResultType(kind)); ttl > 0 {
			r.SetCacheHints(ttl, "public")
		}
		response := sdk.NewJSONRPCResultResponse(sdk.NewRequestId(json.RawMessage("7")), r)
		want, err := json.Marshal(response)
		require.NoError(t, err)
		got, ok := encodeResult(response)
		require.True(t, ok)
		require.Equal(t, string(want), string(got))
	})
}

package jsonrpc

import (
	"encoding/json"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// A result is encoded as encoding/json has it.
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

package jsonrpc

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// callResult has the fields of a tool result before structuredContent, in the order in which the SDK writes them.
type callResult struct {
	Meta       *sdk.Meta      `json:"_meta,omitempty"`
	Content    []sdk.Content  `json:"content"`
	IsError    bool           `json:"isError,omitempty"`
	ResultType sdk.ResultType `json:"resultType,omitempty"`
}

// toolList is the result of tools/list with encoded tools. The field Tools hides the field of the SDK.
type toolList struct {
	sdk.ListToolsResult
	Tools []map[string]any `json:"tools"`
}

// encodeResult encodes the response to a tool call or to tools/list, which is the longest response at the start of a
// client. It writes the same bytes as json.Marshal, but faster: json.Marshal would encode a result of the SDK three
// times. Ok is false for results that our tools do not return.
func encodeResult(r sdk.JSONRPCResponse) (encoded []byte, ok bool) {
	var structured jsontext.Value
	switch result := r.Result.(type) {
	case sdk.ListToolsResult:
		list := toolList{result, make([]map[string]any, len(result.Tools))}
		for i, t := range result.Tools { // our tools have these fields and no others
			list.Tools[i] = map[string]any{
				"name": t.Name, "title": t.Title, "description": t.Description, "annotations": t.Annotations,
				"inputSchema": t.RawInputSchema,
			}
			if t.RawOutputSchema != nil {
				list.Tools[i]["outputSchema"] = t.RawOutputSchema
			}
		}
		r.Result = list
	case *sdk.CallToolResult:
		structured = jsontext.Value(result.RawStructuredContent).Clone()
		if result.StructuredContent != nil || result.InputRequests != nil || result.RequestState != "" ||
			structured != nil && structured.Compact() != nil {
			return nil, false
		}
		r.Result = callResult{result.Meta, result.Content, result.IsError, result.ResultType}
	default:
		return nil, false
	}
	encoded, err := json.Marshal(r)
	if structured == nil || err != nil {
		return encoded, err == nil
	}
	b := bytes.NewBuffer(bytes.TrimSuffix(encoded, []byte("}}")))
	b.WriteString(`,"structuredContent":`)
	json.HTMLEscape(b, structured)
	b.WriteString("}}")
	return b.Bytes(), true
}

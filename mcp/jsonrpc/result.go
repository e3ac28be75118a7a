package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// encodeResult encodes the response to a tool call or to tools/list. It writes the same bytes as json.Marshal, but
// faster: json.Marshal would encode a result of the SDK three times. Ok is false for results that our tools do not
// return.
func encodeResult(r sdk.JSONRPCResponse) (encoded []byte, ok bool) {
	if list, is := r.Result.(sdk.ListToolsResult); is {
		return encodeToolList(r, list)
	}
	result, is := r.Result.(*sdk.CallToolResult)
	if !is {
		return nil, false
	}
	plain, is := singleText(result)
	structured := jsontext.Value(result.RawStructuredContent).Clone()
	if !is || structured != nil && structured.Compact() != nil {
		return nil, false
	}
	var b bytes.Buffer
	b.Grow(2*len(plain) + len(structured) + 256)
	ok = true
	put := func(before string, value any) {
		text, err := json.Marshal(value)
		ok = ok && err == nil
		b.WriteString(before)
		b.Write(text)
	}
	put(`{"jsonrpc":`, r.JSONRPC)
	put(`,"id":`, r.ID)
	b.WriteString(`,"result":{`)
	if result.Meta != nil {
		put(`"_meta":`, result.Meta)
		b.WriteByte(',')
	}
	put(`"content":[{"type":"text","text":`, plain)
	b.WriteString(`}]`)
	if result.IsError {
		b.WriteString(`,"isError":true`)
	}
	if result.ResultType != "" {
		put(`,"resultType":`, result.ResultType)
	}
	if structured != nil {
		b.WriteString(`,"structuredContent":`)
		json.HTMLEscape(&b, structured)
	}
	b.WriteString("}}")
	return b.Bytes(), ok
}

// singleText returns the text of a result. The result ours is true if the tool result has exactly one text and only
// fields that our tools set.
func singleText(result *sdk.CallToolResult) (text string, ours bool) {
	if len(result.Content) != 1 || result.StructuredContent != nil || result.InputRequests != nil || result.RequestState != "" {
		return "", false
	}
	content, ours := result.Content[0].(sdk.TextContent)
	return content.Text, ours && content.Annotations == nil && content.Meta == nil
}

// encodeToolList encodes the response to tools/list, which is the longest response at the start of a client.
func encodeToolList(r sdk.JSONRPCResponse, list sdk.ListToolsResult) (encoded []byte, ok bool) {
	tools := make([]map[string]any, len(list.Tools))
	for i, t := range list.Tools {
		if !isPlainTool(t) {
			return nil, false
		}
		tools[i] = map[string]any{
			"name": t.Name, "title": t.Title, "description": t.Description, "annotations": t.Annotations,
			"inputSchema": t.RawInputSchema, "outputSchema": t.RawOutputSchema,
		}
	}
	list.Tools = nil
	r.Result = list
	around, err := json.Marshal(r)
	before, found := bytes.CutSuffix(around, []byte("null}}"))
	text, failed := json.Marshal(tools)
	return slices.Concat(before, text, []byte("}}")), found && err == nil && failed == nil
}

// isPlainTool reports whether a tool has exactly the fields that our tools have.
func isPlainTool(t sdk.Tool) bool {
	has := t.Title != "" && t.Description != "" && t.RawInputSchema != nil && t.RawOutputSchema != nil
	return has && t.Meta == nil && t.Icons == nil && t.Execution == nil && !t.DeferLoading
}

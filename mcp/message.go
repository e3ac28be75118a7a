package mcp

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// message is the envelope of one JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	text []byte
}

// parse reads the envelope, or gives the answer to a text that has none.
func parse(text []byte) (message, *sdk.JSONRPCError) {
	m := message{text: text}
	err := json.Unmarshal(text, &m)
	switch {
	case !utf8.Valid(text):
		return m, m.refuse(sdk.PARSE_ERROR, "the message is not valid UTF-8, first at byte %d", firstInvalid(text))
	case err != nil && !json.Valid(text):
		return m, (&message{}).refuse(sdk.PARSE_ERROR, "the message is not JSON: %v", err)
	case err != nil:
		return m, m.refuse(sdk.INVALID_REQUEST, "the message is not a JSON-RPC object")
	case m.ID == nil && m.Method == "" && !m.isAnswer():
		return m, m.refuse(sdk.INVALID_REQUEST, "the message has no method")
	case m.ID != nil && !isID(m.ID):
		return m, m.refuse(sdk.INVALID_REQUEST, "the id of a request is a string or a number")
	}
	return m, nil
}

// isID tells whether a JSON value may be the id of a request.
func isID(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

func (m *message) refuse(code int, format string, a ...any) *sdk.JSONRPCError {
	e := &sdk.JSONRPCError{JSONRPC: sdk.JSONRPC_VERSION, ID: sdk.NewRequestId(nil)}
	if isID(m.ID) {
		e.ID = sdk.NewRequestId(m.ID)
	}
	e.Error = sdk.JSONRPCErrorDetails{Code: code, Message: fmt.Sprintf(format, a...)}
	return e
}

// isAnswer tells whether the client answers us. We ask it nothing.
func (m *message) isAnswer() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// waits tells whether a call asks to wait.
func (m *message) waits() bool {
	if m.Method != string(sdk.MethodToolsCall) {
		return false
	}
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Name != claimTool && p.Name != getTool {
		return false
	}
	call, ok := readCall(p.Name, p.Arguments)
	return ok && call.WaitSeconds > 0
}

// cancels gives the id of the request that a notification cancels.
func (m *message) cancels() (id string, ok bool) {
	if m.Method != string(sdk.MethodNotificationCancelled) {
		return "", false
	}
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	return string(p.ID), json.Unmarshal(m.Params, &p) == nil && p.ID != nil
}

// answered writes the request's id, as the client spelled it, into an answer. The SDK reads numbers as
// floats and changes large ones.
func (m *message) answered(answer sdk.JSONRPCMessage) sdk.JSONRPCMessage {
	switch a := answer.(type) {
	case sdk.JSONRPCResponse:
		a.ID = sdk.NewRequestId(m.ID)
		return a
	case sdk.JSONRPCError:
		a.ID = sdk.NewRequestId(m.ID)
		return a
	default:
		return answer
	}
}

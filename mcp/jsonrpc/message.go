// Package jsonrpc reads and writes the envelopes of JSON-RPC messages, either one message or a stream with one message
// on each line, and keeps track of the requests under way. It does not know the meaning of messages.
//
// The SDK reads ids as numbers and changes large ones. So this package keeps the id of each request as its client wrote
// it, and writes the same bytes into the response.
package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"unicode/utf8"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// Message is the envelope of one JSON-RPC message. A request has an ID and a Method, and a notification has only a
// Method. Any other message is a response.
type Message struct {
	ID     json.RawMessage `json:"id"` // as the client wrote it
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	Call *ToolCall `json:"-"` // of a message tools/call; nil for others, and if only the SDK understands it
	Text []byte    `json:"-"` // the whole message
}

// ParseMessage reads the envelope of a message. If the text is no valid message, the second result is the error
// response, with the id of the text if it has one.
func ParseMessage(text []byte) (Message, *sdk.JSONRPCError) {
	m := Message{Text: text}
	if m.scanEnvelope() {
		return m, m.invalidMessageError()
	}
	m = Message{Text: text}
	err := json.Unmarshal(text, &m)
	switch {
	case !utf8.Valid(text):
		return m, m.ErrorResponse(sdk.PARSE_ERROR, "the message is not valid UTF-8, first at byte %d", firstInvalidOffset(text))
	case err != nil && !json.Valid(text):
		return m, (&Message{}).ErrorResponse(sdk.PARSE_ERROR, "the message is not JSON: %v", err)
	case err != nil:
		return m, m.ErrorResponse(sdk.INVALID_REQUEST, "the message is not a JSON-RPC object; handoff accepts no batches")
	}
	return m, m.invalidMessageError()
}

// invalidMessageError returns the error for an object that is no message.
func (m *Message) invalidMessageError() *sdk.JSONRPCError {
	switch {
	case m.ID == nil && m.Method == "" && !m.IsResponse():
		return m.ErrorResponse(sdk.INVALID_REQUEST, "the message has no method")
	case m.ID != nil && !isID(m.ID):
		return m.ErrorResponse(sdk.INVALID_REQUEST, "the id of a request is a string or a number")
	}
	return nil
}

// isID reports whether a JSON value may be the id of a request.
func isID(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

func firstInvalidOffset(text []byte) int {
	for i, r := range string(text) {
		if _, n := utf8.DecodeRune(text[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(text)
}

// ErrorResponse returns an error as the response to a message. Its id is null when the message has none.
func (m *Message) ErrorResponse(code int, format string, a ...any) *sdk.JSONRPCError {
	id := sdk.NewRequestId(nil)
	if isID(m.ID) {
		id = sdk.NewRequestId(m.ID)
	}
	return new(sdk.NewJSONRPCError(id, code, fmt.Sprintf(format, a...), nil))
}

// InternalError returns an error response to the request with an id. The response does not contain the cause, which the
// caller must log.
func InternalError(id sdk.RequestId) sdk.JSONRPCError {
	return sdk.NewJSONRPCError(id, sdk.INTERNAL_ERROR, "internal error", nil)
}

// IsResponse reports whether a message is a response.
func (m *Message) IsResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// CancelledID returns the id of the request that a notification cancels. Ok is false for any other message.
func (m *Message) CancelledID() (id string, ok bool) {
	if m.Method != string(sdk.MethodNotificationCancelled) {
		return "", false
	}
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	return string(p.ID), json.Unmarshal(m.Params, &p) == nil && p.ID != nil
}

// ResponseWithID puts the id of a request, as its client wrote it, into the response.
func (m *Message) ResponseWithID(response sdk.JSONRPCMessage) sdk.JSONRPCMessage {
	switch r := response.(type) {
	case sdk.JSONRPCResponse:
		r.ID = sdk.NewRequestId(m.ID)
		return r
	case sdk.JSONRPCError:
		r.ID = sdk.NewRequestId(m.ID)
		return r
	default:
		return response
	}
}

// OpenRequest is a request that has no response yet.
type OpenRequest struct {
	Message
	Context context.Context // done when the request was cancelled or has its response

	cancel    context.CancelFunc
	cancelled bool
}

// OpenRequests holds the requests of one client that have no response yet, by their ids. The zero value has none. It is
// safe for use by many goroutines.
type OpenRequests struct {
	mu   sync.Mutex // guards the field below, and cancelled of each request
	open map[string]*OpenRequest
}

// Track registers a request, so that [OpenRequests.Cancel] finds it. Its context ends with ctx. The caller must call
// [OpenRequests.Untrack] once.
func (q *OpenRequests) Track(ctx context.Context, m Message) *OpenRequest {
	ctx, cancel := context.WithCancel(ctx)
	r := &OpenRequest{Message: m, Context: ctx, cancel: cancel}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[string]*OpenRequest{}
	}
	q.open[string(m.ID)] = r
	return r
}

// Untrack ends a request and reports whether it was cancelled. From then on it cannot be cancelled.
func (q *OpenRequests) Untrack(r *OpenRequest) (cancelled bool) {
	r.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open[string(r.ID)] == r { // otherwise a later request with the same id stays
		delete(q.open, string(r.ID))
	}
	return r.cancelled
}

// Cancel cancels the request of an id. It does nothing when there is none.
func (q *OpenRequests) Cancel(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r, ok := q.open[id]; ok {
		r.cancelled = true
		r.cancel()
	}
}

// Len returns the number of requests.
func (q *OpenRequests) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open)
}

package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// ToolCall is the content of a message tools/call. Its fields are slices of the text of the message and not copies.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // nil when there are none
	Meta      json.RawMessage `json:"_meta"`     // nil when there is none

	// Plain is true if the message is a request of JSON-RPC 2.0 and its parameters have no other fields than Call.
	Plain bool `json:"-"`

	// Rest is the message with an empty object in place of the arguments. The SDK gets Rest instead of the message,
	// because it would decode the arguments several times only to return them unchanged.
	Rest []byte `json:"-"`
}

// envelopeNames are the members of a message, and callParams the parameters of a call that this package reads.
var (
	envelopeNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	callParams    = []string{"name", "arguments", "_meta"}
)

// scanEnvelope reads the envelope and the tool call of a message in one pass. It returns false for a text that
// encoding/json must read instead: a text that is no object, has a key twice, has a key in other capitals (such as
// "Method"), or has a method that is no string.
func (m *Message) scanEnvelope() bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(m.Text)) // which reads the text where it is
	call, at, version := ToolCall{}, 0, json.RawMessage(nil)
	_, ok := readObject(d, envelopeNames, func(name string) bool {
		switch name {
		case "jsonrpc":
			return m.readValue(d, &version)
		case "id":
			return m.readValue(d, &m.ID)
		case "method":
			return readText(d, &m.Method)
		case "result":
			return m.readValue(d, &m.Result)
		case "error":
			return m.readValue(d, &m.Error)
		}
		if d.PeekKind() != '{' {
			return m.readValue(d, &m.Params)
		}
		return m.readSpan(d, &m.Params, func() bool { return m.readParams(d, &call, &at) })
	})
	if _, err := d.ReadToken(); !ok || !errors.Is(err, io.EOF) {
		return false
	}
	if m.Method == string(sdk.MethodToolsCall) && call.Name != "" {
		call.Rest = m.Text
		if call.Arguments != nil {
			call.Rest = slices.Concat(m.Text[:at], []byte("{}"), m.Text[at+len(call.Arguments):])
		}
		call.Plain = call.Plain && string(version) == `"2.0"` && m.ID != nil && m.Result == nil
		m.Call = &call
	}
	return true
}

// readParams reads the parameters of a call, and sets *at to the offset of the arguments.
func (m *Message) readParams(d *jsontext.Decoder, c *ToolCall, at *int) bool {
	others, ok := readObject(d, callParams, func(name string) bool {
		switch name {
		case "name":
			return readText(d, &c.Name)
		case "_meta":
			return m.readValue(d, &c.Meta)
		}
		ok := m.readValue(d, &c.Arguments)
		*at = int(d.InputOffset()) - len(c.Arguments)
		return ok
	})
	c.Plain = !others
	return ok
}

// readObject reads an object. It calls read for each member in wanted and skips other members. The result others is
// true if it skipped a member.
func readObject(d *jsontext.Decoder, wanted []string, read func(name string) bool) (others, ok bool) {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return false, false
	}
	for d.PeekKind() == '"' {
		t, _ := d.ReadToken() // or the next one fails
		name := t.String()
		switch {
		case slices.Contains(wanted, name):
			if !read(name) {
				return others, false
			}
		case slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, name) }), d.SkipValue() != nil:
			return others, false
		default:
			others = true
		}
	}
	t, err := d.ReadToken()
	return others, err == nil && t.Kind() == '}'
}

// readValue reads the next value as it stands in the text.
func (m *Message) readValue(d *jsontext.Decoder, to *json.RawMessage) bool {
	v, err := d.ReadValue()
	end := int(d.InputOffset())
	if err == nil {
		*to = m.Text[end-len(v) : end : end]
	}
	return err == nil
}

// readSpan calls read, which reads one object, and sets *to to the text of that object.
func (m *Message) readSpan(d *jsontext.Decoder, to *json.RawMessage, read func() bool) bool {
	begin := int(d.InputOffset())
	ok := read()
	end := int(d.InputOffset())
	*to = m.Text[begin+bytes.IndexByte(m.Text[begin:], '{') : end : end]
	return ok
}

func readText(d *jsontext.Decoder, to *string) bool {
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' {
		return false
	}
	*to = t.String()
	return true
}

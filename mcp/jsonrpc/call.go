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

// Call is what a message tools/call says. Its parts are parts of the text of the message.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // nil when there are none
	Meta      json.RawMessage `json:"_meta"`     // nil when there is none

	// Plain says that the message is a request of JSON-RPC 2.0 with no other parameters than these.
	Plain bool `json:"-"`

	// Rest is the message with an empty object in the place of the arguments. It is for the SDK, which looks at all the
	// rest, and would decode the arguments several times only to give them back as they came.
	Rest []byte `json:"-"`
}

// names are those that a message has, and params those of a call that concern us.
var (
	names  = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	params = []string{"name", "arguments", "_meta"}
)

// scan reads the envelope of a message, and what a call says, in one pass. It reports false for a text that it does not
// read, in which the meaning of encoding/json decides: one that is no object, that has a name twice or in other
// capitals, or a method that is no text.
func (m *Message) scan() bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(m.Text)) // which reads the text where it is
	call, at, version := Call{}, 0, json.RawMessage(nil)
	_, ok := object(d, names, func(name string) bool {
		switch name {
		case "jsonrpc":
			return m.value(d, &version)
		case "id":
			return m.value(d, &m.ID)
		case "method":
			return text(d, &m.Method)
		case "result":
			return m.value(d, &m.Result)
		case "error":
			return m.value(d, &m.Error)
		}
		if d.PeekKind() != '{' {
			return m.value(d, &m.Params)
		}
		return m.span(d, &m.Params, func() bool { return m.params(d, &call, &at) })
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

// params reads those of a call, and notes where the arguments are.
func (m *Message) params(d *jsontext.Decoder, c *Call, at *int) bool {
	others, ok := object(d, params, func(name string) bool {
		switch name {
		case "name":
			return text(d, &c.Name)
		case "_meta":
			return m.value(d, &c.Meta)
		}
		ok := m.value(d, &c.Arguments)
		*at = int(d.InputOffset()) - len(c.Arguments)
		return ok
	})
	c.Plain = !others
	return ok
}

// object reads an object, whose wanted members are read by a function. It passes over others, and reports whether there
// are any.
func object(d *jsontext.Decoder, wanted []string, read func(name string) bool) (others, ok bool) {
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

// value reads the next value as it stands in the text.
func (m *Message) value(d *jsontext.Decoder, to *json.RawMessage) bool {
	v, err := d.ReadValue()
	end := int(d.InputOffset())
	if err == nil {
		*to = m.Text[end-len(v) : end : end]
	}
	return err == nil
}

// span keeps what a function reads, which is an object, as it stands in the text.
func (m *Message) span(d *jsontext.Decoder, to *json.RawMessage, read func() bool) bool {
	begin := int(d.InputOffset())
	ok := read()
	end := int(d.InputOffset())
	*to = m.Text[begin+bytes.IndexByte(m.Text[begin:], '{') : end : end]
	return ok
}

func text(d *jsontext.Decoder, to *string) bool {
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' {
		return false
	}
	*to = t.String()
	return true
}

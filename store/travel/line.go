package travel

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

// kind is one kind of lines, with what writes its lines and what reads one.
type kind struct {
	name  string
	write func(*exporter, func(line) error) error
	read  func(*loader, *line) error
	bytes bool // what its lines carry may have a NUL character
}

// kinds are the kinds of lines behind the heading of an exported workspace, in the order in which they come.
var kinds = []kind{
	{"agent", (*exporter).agents, (*loader).agent, false},
	{"workflow", (*exporter).workflows, (*loader).workflow, false},
	{"event", (*exporter).events, (*loader).event, true},
	{"content", (*exporter).contents, (*loader).content, true},
	{"handoff", (*exporter).handoffs, (*loader).handoff, false},
	{"notice", (*exporter).notices, (*loader).notice, false},
	{"key", (*exporter).keys, (*loader).key, false},
}

// maxLine is the longest line of an exported workspace, in bytes, beyond all that the limits of messages let in.
const maxLine = 32 << 20

// line is one line of an exported workspace. Rows stand in it as they are stored, byte for byte: digests are of these
// bytes. The names beside them are for readers. docs/exchange.md describes it.
type line struct {
	Kind string `json:"kind"`

	Handoff  schemas.ID       `json:"handoff_id,omitempty"`
	Workflow schemas.Workflow `json:"workflow_id,omitempty"`
	Title    string           `json:"title,omitempty"`
	Status   schemas.Status   `json:"status,omitempty"`
	Outcome  schemas.Outcome  `json:"outcome,omitempty"`
	Sender   schemas.Agent    `json:"sender,omitempty"`
	To       schemas.Address  `json:"to,omitempty"`
	Holder   schemas.Agent    `json:"holder,omitempty"`

	Record  json.RawMessage `json:"record,omitempty"`
	Words   string          `json:"words,omitempty"` // by which it is found
	Agent   json.RawMessage `json:"agent,omitempty"`
	Flow    json.RawMessage `json:"workflow,omitempty"`
	Notice  json.RawMessage `json:"notice,omitempty"`
	Unread  bool            `json:"unread,omitempty"`
	Event   json.RawMessage `json:"event,omitempty"`
	Leaf    string          `json:"leaf,omitempty"`
	Salt    []byte          `json:"salt,omitempty"`
	Content json.RawMessage `json:"content,omitempty"` // what was said with the event
	Text    string          `json:"text,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"` // in the place of Content or Text that cannot stand there

	Key    string          `json:"key,omitempty"`
	At     store.Time      `json:"at,omitempty"`
	Digest string          `json:"digest,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// isCompactJSON tells whether bytes may stand in a line as they are: compact JSON.
func isCompactJSON(b []byte) bool {
	var compact bytes.Buffer
	return json.Compact(&compact, b) == nil && bytes.Equal(compact.Bytes(), b)
}

// decodeRow decodes the row of a line.
func decodeRow(row json.RawMessage, into any) error {
	if !isCompactJSON(row) {
		return errors.New("what belongs into it is missing or not compact JSON")
	}
	return schemas.Decode(row, into)
}

// content is what was said with the event of the line, nil for nothing.
func (l *line) content() []byte {
	if l.Content != nil {
		return l.Content
	}
	return l.Bytes
}

// readLine decodes a line. It refuses names that this version does not know, because they would be lost.
func readLine(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one value in it")
	}
	return nil
}

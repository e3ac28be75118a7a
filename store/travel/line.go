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

// lineKind is a kind of lines, with the rows that it exports, and the functions that make a line and read one.
type lineKind struct {
	name  string
	rows  store.Range
	write func(*exporter, store.Row) (*exportLine, error) // makes the line of a row; nil for none
	read  func(*loader, *exportLine) error
	bytes bool // its lines may have a NUL character
}

// lineKinds lists the kinds of lines after the heading of an exported workspace, in their order. Receipts of request
// ids are left out, because they last only a day.
var lineKinds = []lineKind{
	{"agent", store.Range{Space: store.Agents}, (*exporter).exportAgent, (*loader).loadAgent, false},
	{"workflow", store.Range{Space: store.Workflows}, (*exporter).exportWorkflow, (*loader).loadWorkflow, false},
	{"event", store.Range{Space: store.Events}, (*exporter).exportEvent, (*loader).loadEvent, true},
	{"content", store.Range{Space: store.References}, (*exporter).exportContent, (*loader).loadContent, true},
	{"handoff", store.Range{Space: store.Records}, (*exporter).exportHandoff, (*loader).loadHandoff, false},
	{"notice", store.Range{Space: store.Notices}, (*exporter).exportNotice, (*loader).loadNotice, false},
	{"key", store.Prefix(store.Receipts, []byte("k")), (*exporter).exportReceipt, (*loader).loadReceipt, false},
}

// maxLine is the length of the longest line of an exported workspace, in bytes. It is far above the limits of messages.
const maxLine = 32 << 20

// exportLine is one line of an exported workspace, as docs/exchange.md describes it. Rows are in it byte for byte,
// because digests are computed over these bytes. The other fields help readers.
type exportLine struct {
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
	Words   string          `json:"words,omitempty"` // its search words
	Agent   json.RawMessage `json:"agent,omitempty"`
	Flow    json.RawMessage `json:"workflow,omitempty"`
	Notice  json.RawMessage `json:"notice,omitempty"`
	Unread  bool            `json:"unread,omitempty"`
	Event   json.RawMessage `json:"event,omitempty"`
	Leaf    string          `json:"leaf,omitempty"`
	Salt    []byte          `json:"salt,omitempty"`
	Content json.RawMessage `json:"content,omitempty"` // of the event
	Text    string          `json:"text,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"` // instead of Content or Text that is not valid there

	Key    string          `json:"key,omitempty"`
	At     store.Time      `json:"at,omitempty"`
	Digest string          `json:"digest,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// isCompactJSON reports whether bytes are compact JSON, which may stand in a line unchanged.
func isCompactJSON(b []byte) bool {
	var compact bytes.Buffer
	return json.Compact(&compact, b) == nil && bytes.Equal(compact.Bytes(), b)
}

// decodeCompactRow decodes the row of a line.
func decodeCompactRow(row json.RawMessage, into any) error {
	if !isCompactJSON(row) {
		return errors.New("its row is missing or not compact JSON")
	}
	return schemas.Decode(row, into)
}

// decodeLine decodes a line. It refuses unknown field names, because their values would be lost.
func decodeLine(b []byte, into any) error {
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

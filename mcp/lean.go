package mcp

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// leanText lists what an answer leaves out. It explains itself.
//
//go:embed lean.txt
var leanText string

// leanRows returns the rows of lean.txt by the paths of their fields.
var leanRows = sync.OnceValue(func() map[string][][]string {
	rows := map[string][][]string{}
	for _, row := range schemas.TableRows(leanText, 2) {
		for path := range strings.FieldsSeq(row[0]) {
			rows[path] = append(rows[path], append(row[1:], "", ""))
		}
	}
	return rows
})

// leanAnswer is a result while it loses what its reader knows.
type leanAnswer struct {
	whole json.RawMessage
	model string    // the id of its thread; empty if nobody knows what the model has read
	read  *sync.Map // the texts that the models of the connection have read, each behind the id of its thread
	owns  bool      // the connection proves and renews the claim without help of the model
}

// shorten leaves out of a result what the model of the connection knows. A subagent has a model of its own: nobody knows
// what it has read, and it needs the claim token, because it may forget its name. A session of one request keeps all.
func (c *session) shorten(by schemas.Caller, args, result json.RawMessage) json.RawMessage {
	if c.read == nil || !json.Valid(result) {
		return result
	}
	l := leanAnswer{whole: result, read: c.read}
	if agentInArguments(args) == "" {
		l.model, l.owns = by.AgentID, by.Conn != "" && c.naming.isConfirmed(by.Agent)
	}
	return l.editParts("", result)
}

// edit edits the value with a path, and returns nil if it is left out.
func (l leanAnswer) edit(path string, value json.RawMessage) json.RawMessage {
	rows, hasParts := leanRows()[path]
	for _, row := range rows {
		if value[0] != '[' && l.knows(row, value) {
			return nil
		}
		line, rest, _ := bytes.Cut(value, []byte(`\n`))
		if row[0] == "line" && bytes.HasSuffix(line, []byte(row[1])) && l.hasRead(line) {
			value = slices.Concat([]byte(`"`+row[2]+`\n`), rest)
		}
	}
	if hasParts && (value[0] == '{' || value[0] == '[') && len(value) > len("{}") {
		return l.editParts(path, value)
	}
	return value
}

// editParts edits the parts of an object or a list, and returns nil if none remains. The items of a list have the path
// of the list.
func (l leanAnswer) editParts(path string, value json.RawMessage) json.RawMessage {
	var parts [][]byte
	d := json.NewDecoder(bytes.NewReader(value))
	for _, _ = d.Token(); d.More(); { // the first token is the bracket
		var part json.RawMessage
		name, below := "", path
		if value[0] == '{' {
			token, _ := d.Token()
			name, below = encodeForModel(token)+":", strings.TrimPrefix(path+"."+token.(string), ".")
		}
		_ = d.Decode(&part)
		if part = l.edit(below, part); part != nil {
			parts = append(parts, append([]byte(name), part...))
		}
	}
	if parts == nil && path != "" {
		return nil
	}
	return slices.Concat(value[:1], bytes.Join(parts, []byte(",")), value[len(value)-1:])
}

// knows reports whether the reader knows a value, by a row of lean.txt.
func (l leanAnswer) knows(row []string, value json.RawMessage) bool {
	unread := []byte(`,"unread":true`)
	switch row[0] {
	case "zero":
		return string(value) == "0"
	case "own":
		return l.owns
	case "twice":
		return bytes.Count(l.whole, bytes.Trim(value, `"`)) > 1
	case "said":
		return bytes.HasPrefix(value, []byte(`{"say":"`+row[1])) && l.hasRead([]byte(row[1]))
	case "read":
		before := l.hasRead(bytes.Replace(value, unread, nil, 1))
		return before && !bytes.Contains(value, unread) && bytes.Contains(l.whole, unread)
	}
	return row[0] == "always"
}

// hasRead reports whether the model has read a text before. From now on it has.
func (l leanAnswer) hasRead(text []byte) (before bool) {
	if l.model != "" {
		_, before = l.read.LoadOrStore(l.model+"\n"+string(text), true)
	}
	return before
}

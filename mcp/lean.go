package mcp

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

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
	asked map[string]json.RawMessage // the arguments of the call
	tool  string
	now   time.Time // zero without a clock
	model string    // the id of its thread; empty if nobody knows what the model has read
	read  *sync.Map // the texts that the models of the connection have read, each behind the id of its thread
	owns  bool      // the connection proves and renews the claim without help of the model
}

// shorten leaves out of a result what lean.txt says. A subagent has a model of its own: nobody knows what it has read,
// and it needs the claim token, because it may forget its name. Over HTTP answers may be lost, so nobody knows what was
// read there either. A session of one request keeps all. If again is true, the client may get the same result again,
// also at another server: it does not count as read, and keeps the claim token.
func (c *session) shorten(by schemas.Caller, tool string, args, result json.RawMessage, again bool) json.RawMessage {
	if c.read == nil || !json.Valid(result) {
		return result
	}
	l := leanAnswer{whole: result, tool: tool, read: c.read, now: c.naming.server.config.Now()}
	_ = json.Unmarshal(args, &l.asked) // the tool has decoded them
	if agentInArguments(args) == "" && by.Via != schemas.ViaHTTP {
		l.model, l.owns = by.AgentID, by.Conn != "" && c.naming.isConfirmed(by.Agent)
	}
	if tool == "claim_handoff" && l.asked["handoff_id"] != nil { // perhaps its model has lost its context
		l.model = ""
	}
	if again {
		l.model, l.owns = "", false
	}
	return l.editParts("", result)
}

// edit edits the value with a path, and returns nil if it is left out.
func (l leanAnswer) edit(path string, value json.RawMessage) json.RawMessage {
	rows, hasParts := leanRows()[path]
	for _, row := range slices.Concat(rows, leanRows()[l.tool+":"+path]) {
		if value[0] != '[' && l.knows(path, row, value) {
			return nil
		}
		switch row[0] {
		case "line":
			value = l.replaceFirstLine(value, row[1], row[2])
		case "lines":
			value = l.dropLines(value, row[1])
		}
	}
	if hasParts && (value[0] == '{' || value[0] == '[') && len(value) > len("{}") {
		return l.editParts(path, value)
	}
	return value
}

// replaceFirstLine says something shorter in place of the first line of a JSON text, if the line ends with a text and the
// model has read it before.
func (l leanAnswer) replaceFirstLine(value json.RawMessage, end, instead string) json.RawMessage {
	line, rest, _ := bytes.Cut(value, []byte(`\n`))
	if !bytes.HasSuffix(line, []byte(end)) || !l.hasRead(line) {
		return value
	}
	return slices.Concat([]byte(`"`+instead+`\n`), rest)
}

// dropLines leaves out of a JSON text each line that begins with a text, if it is the one that the model read last, and
// the heading above it if nothing else stands below.
func (l leanAnswer) dropLines(value json.RawMessage, start string) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		if l.model == "" || !strings.HasPrefix(line, start) {
			return false
		}
		last, _ := l.read.Swap(l.model+"\n"+start, line)
		return last == line
	})
	for i := len(lines) - 2; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "## ") && lines[i+1] == "\n" {
			lines = slices.Delete(lines, i, i+2)
		}
	}
	return json.RawMessage(encodeForModel(strings.Join(lines, "")))
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
func (l leanAnswer) knows(path string, row []string, value json.RawMessage) bool {
	unread, advised := []byte(`,"unread":true`), bytes.HasPrefix(value, []byte(`{"say":"`+row[1]))
	switch row[0] {
	case "always":
		return row[1] == "" || advised
	case "is", "asked":
		return string(value) == map[string]string{"is": row[1], "asked": string(l.asked[path])}[row[0]]
	case "beside":
		return bytes.Contains(l.whole, []byte(`"`+row[1]+`":`))
	case "own":
		return l.owns
	case "twice":
		return bytes.Count(l.whole, bytes.Trim(value, `"`)) > 1
	case "said":
		return advised && l.hasRead([]byte(row[1]))
	case "alike":
		return bytes.Count(l.whole, unread) == bytes.Count(l.whole, []byte(`"notice_id"`))
	case "read":
		before := l.hasRead(bytes.Replace(value, unread, nil, 1))
		return before && !bytes.Contains(value, unread) && l.hasNews(unread)
	}
	var at time.Time
	return row[0] == "recent" && json.Unmarshal(value, &at) == nil && l.now.Sub(at).Abs() < 10*time.Minute
}

// hasNews reports whether the answer has unread notices, and the call did not ask for certain notices.
func (l leanAnswer) hasNews(unread []byte) bool {
	for name := range l.asked {
		if name != "box" && name != "wait_seconds" {
			return false
		}
	}
	return bytes.Contains(l.whole, unread)
}

// readSeed hashes the texts that models have read, so that a long session keeps a few bytes of each.
var readSeed = maphash.MakeSeed()

// hasRead reports whether the model has read a text before. From now on it has.
func (l leanAnswer) hasRead(text []byte) (before bool) {
	if l.model != "" {
		_, before = l.read.LoadOrStore(maphash.String(readSeed, l.model+"\n"+string(text)), true)
	}
	return before
}

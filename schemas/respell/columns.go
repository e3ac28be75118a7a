package respell

import (
	"maps"
	"slices"
	"strings"
)

// A column is a field of a canonical row and the names under which others write it, the best first.
type column struct {
	name  string
	names []string
	list  bool // others also write a list of texts
}

// columns are those of the rows of one of our lists. The first column says what a row is about; the last one also
// takes, as text, the fields that have no column.
type columns []column

var (
	decisionColumns = columns{
		{name: "decision", names: []string{"decision", "description", "title", "name", "choice", "summary"}},
		{name: "rationale", names: []string{"rationale", "reason", "reasoning", "why"}, list: true},
	}
	fileColumns = columns{
		{name: "path", names: []string{"path", "file", "filename", "name"}},
		{name: "lines", names: []string{"lines", "line", "line_range", "range"}},
		{
			name: "note", list: true,
			names: []string{"note", "notes", "description", "reason", "relevant_sections", "sections"},
		},
	}
)

// particulars are the fields that others add to a step, a decision, a memory or a file, whatever they hold. A row
// with any other field is left to the decoder, which names the known field that comes closest.
var particulars = []string{
	"agent", "alternatives", "artifacts", "assignee", "attempt", "author", "by", "category", "completed_at",
	"confidence", "consequences", "context", "created_at", "date", "detail", "details", "duration", "duration_ms",
	"end_line", "evidence", "files", "id", "impact", "index", "kind", "language", "made_at", "made_by", "note",
	"notes", "number", "options", "output", "outputs", "owner", "priority", "rationale", "reason", "reasoning",
	"relevance", "relevant_sections", "result", "results", "score", "sections", "severity", "source", "start_line",
	"started_at", "state", "status", "tags", "time", "timestamp", "tool", "tradeoffs", "type", "why",
}

// read gives the canonical row of a text, which is the first field of the row, or of an object in foreign words. A
// row in our words, and any other value, stays as it is.
func (all columns) read(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{all[0].name: s}
	}
	object, ok := v.(map[string]any)
	if !ok || all.holds(object) || !all.knows(object) {
		return v
	}
	row, ok := all.sort(object)
	if !ok || row[all[0].name] == nil {
		return v
	}
	return row
}

// holds tells whether an object has only fields of ours.
func (all columns) holds(object map[string]any) bool {
	for key := range object {
		if !slices.ContainsFunc(all, func(c column) bool { return c.name == key }) {
			return false
		}
	}
	return true
}

// knows tells whether an object has only fields that others are known to write.
func (all columns) knows(object map[string]any) bool {
	return onlyKeys(object, func(key string) bool {
		return slices.ContainsFunc(all, func(c column) bool { return slices.Contains(c.names, key) })
	})
}

// onlyKeys tells whether each key of an object, in snake_case, is one of ours or among the particulars.
func onlyKeys(object map[string]any, ours func(key string) bool) bool {
	for key := range object {
		if key = snake(key); !ours(key) && !slices.Contains(particulars, key) {
			return false
		}
	}
	return true
}

// sort puts the fields of an object into columns. False means that one is no text.
func (all columns) sort(object map[string]any) (row map[string]any, ok bool) {
	row, left := map[string]any{}, maps.Clone(object)
	for _, c := range all {
		key, found := pickKey(left, c.names)
		if !found {
			continue
		}
		text, ok := c.text(left[key])
		if !ok {
			return nil, false
		}
		row[c.name] = text
		delete(left, key)
	}
	last, rest := all[len(all)-1].name, wordsOf(left)
	switch {
	case rest != "" && row[last] != nil:
		row[last] = words(row[last]) + " (" + rest + ")"
	case rest != "":
		row[last] = rest
	}
	return row, true
}

func (c column) text(v any) (any, bool) {
	list, ok := v.([]any)
	if !ok || !c.list {
		return toText(v)
	}
	texts := make([]string, len(list))
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, false
		}
		texts[i] = s
	}
	return strings.Join(texts, ", "), true
}

// pickKey finds the key of an object that is one of names in snake_case or camelCase and is not empty.
func pickKey(object map[string]any, names []string) (string, bool) {
	for _, name := range names {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if snake(key) == name && !isEmpty(object[key]) {
				return key, true
			}
		}
	}
	return "", false
}

package respell

import (
	"maps"
	"slices"
)

// A column is a field of a canonical row and the names under which others write it, the best first.
type column struct {
	name  string
	names []string
	list  bool // others also write a list
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

// particulars are the fields that others add to a decision or a file, whatever they hold. Any other field is left to
// the decoder, which names the known field that comes closest.
var particulars = []string{
	"agent", "alternatives", "artifacts", "assignee", "attempt", "author", "by", "category", "completed_at",
	"confidence", "consequences", "context", "created_at", "date", "detail", "details", "duration", "duration_ms",
	"end_line", "evidence", "files", "id", "impact", "index", "kind", "language", "made_at", "made_by", "note",
	"notes", "number", "options", "output", "outputs", "owner", "priority", "rationale", "reason", "reasoning",
	"relevance", "relevant_sections", "result", "results", "score", "sections", "severity", "source", "start_line",
	"started_at", "state", "status", "tags", "time", "timestamp", "tool", "tradeoffs", "type", "why",
}

// read gives the canonical row of a text, which is the first field of the row, or of an object with fields that others
// are known to write. A field that nobody knows stays in the row. Any other value stays as it is, as does a row in which
// a field is no text.
func (all columns) read(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{all[0].name: s}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	row, left := map[string]any{}, maps.Clone(object)
	for _, c := range all {
		key := keyOf(left, c.names)
		if key == "" {
			continue
		}
		if row[c.name], ok = c.text(left[key]); !ok {
			return v
		}
		delete(left, key)
	}
	for key, e := range object {
		if name := snake(key); !all.know(name) && !slices.Contains(particulars, name) {
			row[key] = e
			delete(left, key)
		}
	}
	last, rest := all[len(all)-1].name, wordsOf(left)
	switch {
	case row[all[0].name] == nil:
		return v
	case rest != "" && row[last] != nil:
		row[last] = words(row[last]) + " (" + rest + ")"
	case rest != "":
		row[last] = rest
	}
	return row
}

func (all columns) know(key string) bool {
	return slices.ContainsFunc(all, func(c column) bool { return slices.Contains(c.names, key) })
}

func (c column) text(v any) (any, bool) {
	if list, ok := v.([]any); ok && c.list {
		return words(list), true
	}
	return toText(v)
}

// keyOf finds the key of an object that is one of names in snake_case or camelCase and is not empty, "" for none.
func keyOf(object map[string]any, names []string) string {
	for _, name := range names {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if snake(key) == name && !isEmpty(object[key]) {
				return key
			}
		}
	}
	return ""
}

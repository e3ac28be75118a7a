package schemas

import (
	"maps"
	"slices"
)

// A column is a field of a canonical row and the names under which others write it, the best first.
type column struct {
	name  string
	names []string
}

// The last column takes along what has no column.
var (
	decisionColumns = []column{
		{"decision", []string{"decision", "description", "title", "name", "choice", "summary"}},
		{"rationale", []string{"rationale", "reason", "reasoning", "why"}},
	}
	fileColumns = []column{
		{"path", []string{"path", "file", "filename", "name"}},
		{"lines", []string{"lines", "line", "line_range", "range"}},
		{"note", []string{"note", "notes", "description", "reason", "relevant_sections", "sections"}},
	}
)

// readColumns reads a row: a text is its first field, and an object in foreign words is sorted into columns.
func readColumns(first string, table []column) func(any) any {
	return func(v any) any {
		object, ok := v.(map[string]any)
		if !ok {
			return map[string]any{first: words(v)}
		}
		if isCanonical(object, table) {
			return v
		}
		row := sortInto(table, object)
		if row[first] == nil {
			return map[string]any{first: words(object)}
		}
		return row
	}
}

func isCanonical(object map[string]any, table []column) bool {
	for key, v := range object {
		_, isText := v.(string)
		if !isText || !slices.ContainsFunc(table, func(c column) bool { return c.name == key }) {
			return false
		}
	}
	return true
}

func sortInto(table []column, object map[string]any) map[string]any {
	row := map[string]any{}
	left := maps.Clone(object)
	for _, c := range table {
		if key, ok := pickKey(left, c.names); ok {
			row[c.name] = words(left[key])
			delete(left, key)
		}
	}
	last := table[len(table)-1].name
	if have, rest := words(row[last]), wordsOf(left); row[last] == nil && rest != "" {
		row[last] = rest
	} else if rest != "" {
		row[last] = have + " (" + rest + ")"
	}
	return row
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

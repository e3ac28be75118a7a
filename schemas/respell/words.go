package respell

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// words writes any JSON value as text for a person and leaves nothing out. Of an object it writes the subject first
// and then the other fields in brackets, as "Read the code (agent: qa; id: 1)".
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return joined(v, ", ")
	case map[string]any:
		return wordsOf(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // no JSON value
	}
	return string(b)
}

func joined(list []any, between string) string {
	all := make([]string, len(list))
	for i, e := range list {
		all[i] = words(e)
	}
	return strings.Join(all, between)
}

// subjects are the fields that say what an object is about, the best first.
var subjects = []string{
	"description", "step", "name", "title", "text", "content", "decision", "fact", "action", "summary", "path",
	"task", "issue", "error", "message", "question", "requirement", "memory", "type",
}

// subjectOf gives the field that says what an object is about, "" when none does.
func subjectOf(object map[string]any) string {
	for _, name := range subjects {
		if s, _ := object[name].(string); s != "" {
			return name
		}
	}
	return ""
}

func wordsOf(object map[string]any) string {
	var rest []string
	name := subjectOf(object)
	subject := words(object[name])
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key != name && !isEmpty(object[key]) {
			rest = append(rest, snake(key)+": "+nested(object[key]))
		}
	}
	switch {
	case subject == "":
		return strings.Join(rest, "; ")
	case len(rest) == 0:
		return subject
	}
	return subject + " (" + strings.Join(rest, "; ") + ")"
}

// nested puts an object within an object in braces, so that its fields stay together.
func nested(v any) string {
	if _, ok := v.(map[string]any); ok {
		return "{" + words(v) + "}"
	}
	return words(v)
}

package respell

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// cloneJSON copies a JSON value in depth.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = cloneJSON(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = cloneJSON(e)
		}
		return l
	}
	return v
}

// unwrapJSON decodes an object or a list that came as a JSON text, because models send such texts by mistake. It does
// so only if the text begins with one of the brackets in opens. Any other value stays unchanged.
func unwrapJSON(v any, opens string) any {
	s, _ := v.(string)
	s = strings.TrimSpace(s)
	if s == "" || strings.IndexByte(opens, s[0]) < 0 || !json.Valid([]byte(s)) {
		return v
	}
	_ = schemas.DecodeNumbers([]byte(s), &v) // it is valid
	return v
}

// valueAt finds the value at a dotted path of objects.
func valueAt(m map[string]any, path string) (any, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	v, ok := m[name]
	if !deeper {
		return v, ok
	}
	inside, _ := v.(map[string]any)
	return valueAt(inside, rest)
}

// setAt sets the value at a path and makes the objects on the way to it. If a value on the way is not an object, setAt
// changes nothing and returns false.
func setAt(m map[string]any, path string, v any) bool {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		m[name] = v
		return true
	}
	inside, ok := m[name].(map[string]any)
	if !ok && !isEmpty(m[name]) {
		return false
	}
	if inside == nil {
		inside = map[string]any{}
	}
	if !setAt(inside, rest, v) {
		return false
	}
	m[name] = inside
	return true
}

// removeAt deletes the value at a path, and then each object around it that is empty.
func removeAt(m map[string]any, path string) {
	name, rest, deeper := strings.Cut(path, ".")
	if deeper {
		inside, ok := m[name].(map[string]any)
		if !ok {
			return
		}
		if removeAt(inside, rest); len(inside) > 0 {
			return
		}
	}
	delete(m, name)
}

// isEmpty reports whether a value is null, or an empty text, list or object.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// valueText writes any JSON value as text for a person, without losing a part. Of an object it writes the main field
// first and then the other fields in brackets, such as "Read the code (agent: qa; id: 1)".
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return joinValueTexts(v, ", ")
	case map[string]any:
		return objectText(v)
	}
	b, _ := json.Marshal(v) // it came as JSON
	return string(b)
}

func joinValueTexts(list []any, between string) string {
	return strings.Join(schemas.Map(list, valueText), between)
}

// mainFieldNames are the names of fields that may be the main field of an object, the most likely first.
var mainFieldNames = []string{
	"description", "step", "name", "title", "text", "content", "decision", "fact", "action", "summary", "path",
	"task", "issue", "error", "message", "question", "requirement", "memory", "type",
}

// mainFieldOf returns the name of the main field of an object, or "" if it has none of [mainFieldNames].
func mainFieldOf(object map[string]any) string {
	for _, name := range mainFieldNames {
		if s, _ := object[name].(string); s != "" {
			return name
		}
	}
	return ""
}

func objectText(object map[string]any) string {
	var rest []string
	name := mainFieldOf(object)
	subject := valueText(object[name])
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key != name && !isEmpty(object[key]) {
			rest = append(rest, schemas.SnakeCase(key)+": "+nestedValueText(object[key]))
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

// nestedValueText writes a value inside an object as text. The text of an object is in braces, which separate its
// fields from the fields of the outer object.
func nestedValueText(v any) string {
	if _, ok := v.(map[string]any); ok {
		return "{" + valueText(v) + "}"
	}
	return valueText(v)
}

package respell

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// toList reads a single value as a list of one.
func toList(v any) (any, bool) { return asList(v), true }

func convertEachItem(row func(any) any) func(any) (any, bool) {
	return func(v any) (any, bool) {
		return schemas.Map(asList(v), row), true
	}
}

// asList returns a list unchanged, and any other value as a list of one.
func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// mergeLists returns the items of have, followed by the items of more that are not in have.
func mergeLists(have, more any) any {
	all := slices.Clone(asList(have))
	for _, e := range asList(more) {
		if !slices.ContainsFunc(all, func(h any) bool { return reflect.DeepEqual(h, e) }) {
			all = append(all, e)
		}
	}
	return all
}

// toLineOfText writes an object as one line of text with all its fields, and a number as its digits. Any other value
// stays unchanged.
func toLineOfText(v any) any {
	if s, ok := toText(v); ok {
		return s
	}
	if object, ok := v.(map[string]any); ok && !isEmpty(object) {
		return valueText(object)
	}
	return v
}

// toName replaces an object by its id or name.
func toName(v any) any {
	row, _ := v.(map[string]any)
	for _, key := range []string{"id", "name"} {
		if s, ok := row[key].(string); ok && s != "" {
			return s
		}
	}
	return v
}

// pathLines splits "a.go:1-9" and "a.go:12:5".
var pathLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?[^:]):([0-9]+(?:[-,:][0-9]+)*)$`) })

// toFile makes a file of a path, which may end in line numbers, such as "a.go:1-9". It does not take the numbers in
// "C:12" and "http://host:80" for line numbers.
func toFile(v any) any {
	s, ok := v.(string)
	if !ok {
		return fileFields.convertItem(v)
	}
	m := pathLines().FindStringSubmatch(s)
	if m == nil || len(m[1]) == 1 || strings.Contains(m[1], "://") {
		return map[string]any{"path": s}
	}
	return map[string]any{"path": m[1], "lines": m[2]}
}

// toFiles reads a list of files, or an object that maps each path to a note. An object is such a map if each of its
// keys has a dot or a slash.
func toFiles(v any) (any, bool) {
	var files []any
	object, _ := v.(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(object)) {
		if file, _ := toFile(path).(map[string]any); strings.ContainsAny(path, "./") {
			file["note"] = valueText(object[path])
			files = append(files, file)
		}
	}
	if files == nil {
		return schemas.Map(asList(v), toFile), true
	}
	return files, len(files) == len(object)
}

// pointMark matches the mark before a point of a list in a text, such as "- ", "2. " and "- [ ] ". goesOn matches the
// beginning of an indented line without a mark.
var (
	pointMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:[-*+•]|[0-9]{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)
	})
	goesOn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\r?\n[ \t]+([^-*+•0-9\s])`) })
)

// toPoints makes a list of the lines of a text, and takes the marks away, because handoff numbers the points itself. An
// indented line without a mark goes on with the line before it.
func toPoints(v any) (any, bool) {
	if text, ok := v.(string); ok {
		text = goesOn().ReplaceAllString(strings.TrimSpace(text), " $1")
		v = schemas.Map(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), func(line string) any { return line })
	}
	return schemas.Map(asList(v), func(point any) any {
		if s, ok := point.(string); ok {
			return cmp.Or(strings.TrimSpace(pointMark().ReplaceAllString(s, "")), s)
		}
		return point
	}), true
}

// textToDescription turns a text into an object with the text in the field description. Any other value stays
// unchanged.
func textToDescription(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{"description": s}
	}
	return v
}

// toBlocker reads a blocker as textToDescription does. Our field required_to_proceed is a bool, but other protocols put
// a text or a list of texts into it. Then toBlocker appends this text to the description and sets required_to_proceed
// to true.
func toBlocker(v any) any {
	row, ok := textToDescription(v).(map[string]any)
	required, isText := row["required_to_proceed"].(string)
	if list, isList := row["required_to_proceed"].([]any); isList {
		required, isText = joinValueTexts(list, "; "), true
	}
	if !ok || !isText || required == "" || slices.Contains([]string{"true", "false"}, strings.ToLower(strings.TrimSpace(required))) {
		return textToDescription(v)
	}
	row = maps.Clone(row)
	row["description"] = strings.TrimPrefix(valueText(row["description"])+". To proceed: "+required, ". ")
	row["required_to_proceed"] = true
	return row
}

// toCriterionMet reads a text or number alone as a criterion that is met. Any other value stays unchanged.
func toCriterionMet(v any) any {
	if s, ok := toText(v); ok {
		return map[string]any{"criterion": s, "met": true}
	}
	return v
}

// toAttachment makes a reference of a text: an address, or else a path in the project.
func toAttachment(v any) any {
	s, ok := v.(string)
	switch {
	case !ok:
		return v
	case strings.Contains(s, "://"):
		return map[string]any{"url": s}
	}
	return map[string]any{"path": s}
}

// toReference returns a function that makes a list with one reference. The reference has the value in the given field.
func toReference(field string) func(any) (any, bool) {
	return func(v any) (any, bool) { return []any{map[string]any{field: v}}, true }
}

// mergeReferences makes one reference of two, if one has only the address of the content and the other only its key
// points. Otherwise it returns a list of both.
func mergeReferences(have, more any) any {
	one, isObject := asList(have)[0].(map[string]any)
	other, row := asList(more)[0].(map[string]any), map[string]any{}
	maps.Copy(row, one)
	maps.Copy(row, other)
	if !isObject || len(asList(have)) > 1 || len(row) < len(one)+len(other) {
		return mergeLists(have, more)
	}
	return []any{row}
}

// An itemField is a field of an item in our lists. Its names are the names of the field in messages, the most likely
// first.
type itemField struct {
	name  string
	names []string
	list  bool // foreign messages may also hold a list
}

// itemFields are the fields of one kind of item, such as decisions or files. The first is the main field. The values of
// the extra fields of words.txt are added, as text, to the last field.
type itemFields []itemField

var (
	decisionFields = itemFields{
		{name: "decision", names: []string{"decision", "description", "title", "name", "choice", "summary"}},
		{name: "rationale", names: []string{"rationale", "reason", "reasoning", "why"}, list: true},
	}
	fileFields = itemFields{
		{name: "path", names: []string{"path", "file", "filename", "name"}},
		{name: "lines", names: []string{"lines", "line", "line_range", "range"}},
		{name: "note", names: []string{"note", "notes", "description", "reason", "relevant_sections", "sections"}, list: true},
	}
)

// convertItem gives the fields of an item our names. A text becomes the main field of an object. In an object, the
// values of the extra fields of words.txt are added to the last field, and unknown fields stay. An object stays
// unchanged if it has no main field, or if the value of a known field is no text. A value of any other kind stays
// unchanged, too.
func (all itemFields) convertItem(v any) any {
	if s, ok := v.(string); ok {
		return map[string]any{all[0].name: s}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	row, left := map[string]any{}, maps.Clone(object)
	for _, c := range all {
		key := firstKeyOf(left, c.names)
		if key == "" {
			continue
		}
		if row[c.name], ok = c.convertText(left[key]); !ok {
			return v
		}
		delete(left, key)
	}
	for key, e := range object {
		name := schemas.SnakeCase(key)
		if _, extra := ourWord("extra fields", name); !extra && !all.hasName(name) {
			row[key] = e
			delete(left, key)
		}
	}
	last, rest := all[len(all)-1].name, objectText(left)
	switch {
	case row[all[0].name] == nil:
		return v
	case rest != "" && row[last] != nil:
		row[last] = valueText(row[last]) + " (" + rest + ")"
	case rest != "":
		row[last] = rest
	}
	return row
}

func (all itemFields) hasName(key string) bool {
	return slices.ContainsFunc(all, func(c itemField) bool { return slices.Contains(c.names, key) })
}

func (c itemField) convertText(v any) (any, bool) {
	if list, ok := v.([]any); ok && c.list {
		return valueText(list), true
	}
	return toText(v)
}

// firstKeyOf returns the first key of an object that is one of the names, in snake_case or camelCase, and has a value
// that is not empty. It returns "" if there is none.
func firstKeyOf(object map[string]any, names []string) string {
	for _, name := range names {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if schemas.SnakeCase(key) == name && !isEmpty(object[key]) {
				return key
			}
		}
	}
	return ""
}

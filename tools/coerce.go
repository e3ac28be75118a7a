package tools

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

// coerce returns the value v, at a path of the arguments, in the form that its schema requires. It is lenient where
// models slip:
//
//   - one value stands for a list of one
//   - a text stands for an object that has only the text in its main field, see [schemaNode.mainField]
//   - a number stands for text, and text for a number, true or false
//   - a word counts in any case, with hyphens or spaces for underscores
//   - empty text stands for nothing, except where any text is valid
//   - a wait or a length above the maximum counts as the maximum
//
// coerce refuses everything else with an error that names the field and its valid values. It also refuses
// [schemas.Blank], the placeholder in advised calls, except in a map for programs. The result is nil for a value that
// counts as absent. Coercing a result returns the same result. Objects are changed in place.
//
// V comes from [parseValue]: nil, bool, json.Number, string, []any or map[string]any. The result has the type of the
// schema: a boolean, a json.Number, a string, a list or an object. coerce checks the limits of the schema: characters
// of a text, items of a list, least and greatest number. Errors are *[schemas.Error] of code invalid, or limit for
// values that are too long or too many.
func (n *schemaNode) coerce(v any, at *argumentPath) (any, error) {
	switch {
	case v == nil || n.Any:
		return v, nil
	case v == "" && (n.Type != "string" || n.Enum != nil):
		return nil, nil
	}
	switch n.Type {
	case "object":
		return n.coerceObject(v, at)
	case "array":
		return n.coerceList(v, at)
	case "string":
		return n.coerceText(v, at)
	case "boolean":
		return n.coerceBool(v, at)
	}
	return n.coerceNumber(v, at)
}

// coerceObject takes an object, or a text in place of an object that has a main field, see [schemaNode.mainField].
func (n *schemaNode) coerceObject(v any, at *argumentPath) (any, error) {
	if text, ok := v.(string); ok && n.mainField() != "" {
		v = map[string]any{n.mainField(): text}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, n.wrongTypeError(v, at)
	}
	return m, n.coerceFields(m, at)
}

// coerceFields coerces the fields of an object in place and removes fields that are null. Its error joins the errors of
// all fields. Unknown names come first, because a mistyped name explains a missing field.
func (n *schemaNode) coerceFields(m map[string]any, at *argumentPath) error {
	if n.Rest.open {
		return nil
	}
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	var wrong, values []error
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p := n.fieldSchema(name)
		switch {
		case p == nil:
			wrong = append(wrong, n.refuseUnknown(name, m, at))
			continue
		case p.Filled:
			wrong = append(wrong, invalidAtf(at.field(name), "only the mailbox fills this field").WithHint("Leave it out."))
			continue
		}
		if _, named := n.Properties.of[name]; !named && p.Type == "string" {
			m[name] = toProgramText(m[name])
		}
		v, err := p.coerce(m[name], at.field(name))
		if values = append(values, err); v == nil && err == nil {
			delete(m, name)
		} else if err == nil {
			m[name] = v
		}
	}
	return errors.Join(append(append(wrong, n.checkRequired(m, at)), values...)...)
}

// fieldSchema returns the schema of a field. If the field has no schema, it returns the schema for all unnamed fields
// of the object. It returns nil if the object may not have the field.
func (n *schemaNode) fieldSchema(name string) *schemaNode {
	if p := n.Properties.field(name); p != nil {
		return p
	}
	return n.Rest.kind
}

// toProgramText writes true and false as text, and objects and lists as JSON, for maps whose values must be texts (such
// as data).
func toProgramText(v any) any {
	switch v.(type) {
	case bool, map[string]any, []any:
		if b, err := schemas.Encode(v); err == nil {
			return string(b)
		}
	}
	return v
}

// coerceList takes a list, or one item. It leaves out items that count as absent. It checks the number of items first,
// so that a list that is too long costs little.
func (n *schemaNode) coerceList(v any, at *argumentPath) (any, error) {
	list, ok := v.([]any)
	if !ok {
		if !n.Items.read().acceptsSingleValue(v) {
			return nil, n.wrongTypeError(v, at)
		}
		list = []any{v}
	}
	if n.MaxItems > 0 && len(list) > n.MaxItems {
		e := schemas.Errorf(schemas.Limit, "%d items, at most %d are allowed", len(list), n.MaxItems)
		return nil, e.WithField(at.String()).WithHint("Send fewer.")
	}
	coerced, wrong := make([]any, 0, len(list)), []error(nil)
	for i, item := range list {
		v, err := n.Items.read().coerce(item, at.at(i))
		if wrong = append(wrong, err); v != nil {
			coerced = append(coerced, v)
		}
	}
	return coerced, errors.Join(wrong...)
}

// acceptsSingleValue reports whether a value that is no list may stand for a list of one.
func (n *schemaNode) acceptsSingleValue(v any) bool {
	switch v.(type) {
	case string:
		return n.Type == "string" || n.mainField() != ""
	case json.Number:
		return n.Type == "string"
	case map[string]any:
		return n.Type == "object"
	}
	return false
}

// coerceText writes a number as text (12 names the handoff ho_12). It refuses [schemas.Blank]: an advised call whose
// placeholders were not filled in must not complete any work.
func (n *schemaNode) coerceText(v any, at *argumentPath) (any, error) {
	if number, ok := v.(json.Number); ok {
		v = number.String()
	}
	text, ok := v.(string)
	switch {
	case !ok:
		return nil, n.wrongTypeError(v, at)
	case n.Enum != nil:
		if word := schemas.NormaliseWord(text); slices.Contains(n.Enum, word) {
			return word, nil
		}
		return nil, n.wrongWordError(text, at)
	case !n.free && strings.TrimSpace(text) == schemas.Blank:
		return nil, invalidAtf(at, "%s stands for a text that only you can write", schemas.Blank).WithHint("Write it.")
	case n.MaxLength > 0 && utf8.RuneCountInString(text) > n.MaxLength:
		return nil, schemas.CheckCharacters(at.String(), utf8.RuneCountInString(text), n.MaxLength)
	}
	return text, nil
}

// coerceBool takes true, false, yes and no, also as text. It refuses all other words.
func (n *schemaNode) coerceBool(v any, at *argumentPath) (any, error) {
	if text, ok := v.(string); ok {
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes":
			v = true
		case "false", "no":
			v = false
		}
	}
	if truth, ok := v.(bool); ok {
		return truth, nil
	}
	return nil, n.wrongTypeError(v, at)
}

// coerceNumber takes a number, also as text. A whole number may be at most 2^53, because every JSON reader keeps such a
// number exactly. The result is written without an exponent.
func (n *schemaNode) coerceNumber(v any, at *argumentPath) (any, error) {
	if text, ok := v.(string); ok {
		if text = strings.TrimSpace(text); !json.Valid([]byte(text)) {
			return nil, n.wrongTypeError(v, at)
		}
		v = json.Number(text)
	}
	number, ok := v.(json.Number)
	f, err := number.Float64()
	switch {
	case !ok || err != nil:
		return nil, n.wrongTypeError(v, at)
	case n.Type == "integer" && (f != math.Trunc(f) || math.Abs(f) > 1<<53):
		return nil, n.wrongTypeError(v, at)
	case n.Clamp && f > *n.Maximum:
		f = *n.Maximum
	case n.Minimum != nil && f < *n.Minimum || n.Maximum != nil && f > *n.Maximum:
		return nil, n.outOfRangeError(number, at)
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64)), nil
}

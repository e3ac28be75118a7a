package compose

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// Redacted replaces a removed text.
const Redacted = "[redacted]"

// RedactTexts replaces the texts under a path of content, such as data.token, by [Redacted]. An empty path means all
// texts. Content is one JSON object. At a list, the path continues in every entry. Names of fields, numbers, times and
// the [fixedFields] stay, so the handoff can still be claimed and completed. If the path is task, it also replaces the
// title, because the title may have been made from the task. It returns nil if there is no text to replace. The error
// comes from decoding.
func RedactTexts(content []byte, path string) ([]byte, error) {
	object, err := decodeObject(content)
	if err != nil {
		return nil, err
	}
	_, changed := redactValue(object, strings.FieldsFunc(path, func(r rune) bool { return r == '.' }), false)
	if path == "task" {
		_, title := redactValue(object, []string{"title"}, false)
		changed = changed || title
	}
	if !changed {
		return nil, nil
	}
	return schemas.Encode(object)
}

// decodeObject decodes content that is one JSON object. Numbers keep their text.
func decodeObject(content []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	err = d.Decode(&object)
	return object, err
}

// redactValue replaces the texts under a path in the value v, and reports whether it replaced a text. The [fixedFields]
// stay, unless the path names such a field, or free is true because the sender chose the names of the fields. A text
// that is a time stays. A text that an earlier redaction replaced does not count as a change.
func redactValue(v any, path []string, free bool) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil || len(path) > 0 || v == "" || v == Redacted {
			return v, false
		}
		return Redacted, true
	case []any:
		for i := range v {
			item, did := redactValue(v[i], path, free)
			v[i], changed = item, changed || did
		}
	case map[string]any:
		for name := range v {
			item, did := redactField(name, v[name], path, free)
			v[name], changed = item, changed || did
		}
	}
	return v, changed
}

// redactField does [redactValue] for a field of an object.
func redactField(name string, v any, path []string, free bool) (_ any, changed bool) {
	switch {
	case len(path) > 0 && path[0] == name:
		return redactValue(v, path[1:], true)
	case len(path) == 0 && (free || !slices.Contains(fixedFields, name)):
		return redactValue(v, nil, free || slices.Contains(freeFields, name))
	}
	return v, false
}

// fixedFields lists the fields of messages whose values are agents, ids, times and other words of the protocol.
// freeFields lists the fields whose value is an object of the sender. The sender chooses the names in such an object.
var (
	fixedFields = []string{
		"source", "target", "metadata", "rollback", "type", "status", "outcome", "action", "handoff_id", "completion_id",
		"failure_id", "checkpoint_id", "claim_token", "to", "from", "at", "with", "of", "by", "then", "rollback_to",
		"suggested_alternative", "workflow", "parent", "output_schema", "timeout", "estimated_duration", "priority",
		"deadline",
	}
	freeFields = []string{"data", "state", "results", "output", "extra"}
)

// NotKept replaces a large text that a workspace no longer keeps.
const NotKept = "[no longer kept]"

// maxShortText is the largest size in bytes of a text that [DropLargeTexts] keeps, for example a title or a note in one
// sentence.
const maxShortText = 200

// DropLargeTexts returns content, which is one JSON object, without its large texts. [NotKept] replaces each text of
// more than 200 bytes. A field of [freeFields] that is still longer than 200 bytes is removed. Digests of attached
// content become [schemas.NotKept]. Short texts, agents and times stay. The result has the additional field
// [schemas.NotKept]. DropLargeTexts returns nil if there is nothing to remove. The error comes from decoding.
func DropLargeTexts(content []byte) ([]byte, error) {
	object, err := decodeObject(content)
	if err != nil {
		return nil, err
	}
	if _, changed := dropLargeTextsFromValue("", object); !changed {
		return nil, nil
	}
	object[schemas.NotKept] = true
	return schemas.Encode(object)
}

// dropLargeTextsFromValue removes the large texts from the value of a field, or from the entries of a list in the
// field. It reports whether the value changed.
func dropLargeTextsFromValue(field string, v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if len(v) > maxShortText && field != "title" { // the record has the title, too
			return NotKept, true
		}
	case []any:
		for i := range v {
			item, did := dropLargeTextsFromValue(field, v[i])
			v[i], changed = item, changed || did
		}
	case map[string]any:
		for name := range v {
			changed = dropLargeTextsFromField(field, v, name) || changed
		}
	}
	return v, changed
}

// dropLargeTextsFromField removes the large texts from one field of an object, and reports whether the field changed.
// The argument name is the name of the field, and within is the name of the field that has the object as its value.
func dropLargeTextsFromField(within string, object map[string]any, name string) (changed bool) {
	was := object[name]
	switch {
	case slices.Contains(freeFields, name) && isLongValue(was):
		if object[name], _ = dropLargeTextsFromValue(name, was); isLongValue(object[name]) {
			delete(object, name) // it is still long, with many short texts
		}
		return true
	case within == "references" && name == "digest":
		object[name] = schemas.NotKept
		return was != schemas.NotKept
	}
	object[name], changed = dropLargeTextsFromValue(name, was)
	return changed
}

func isLongValue(v any) bool {
	b, err := schemas.Encode(v)
	return err != nil || len(b) > maxShortText
}

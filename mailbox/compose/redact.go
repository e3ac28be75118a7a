package compose

import (
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
	var object map[string]any
	if err := schemas.DecodeNumbers(content, &object); err != nil {
		return nil, err
	}
	fields := strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
	redact := func(at []string, text string) string {
		if _, err := time.Parse(time.RFC3339, text); err == nil || text == "" || !isRedactable(at, fields) {
			return text
		}
		return Redacted
	}
	if !mapTexts(object, nil, redact, func([]string, any) bool { return true }) {
		return nil, nil
	}
	return schemas.Encode(object)
}

// isRedactable reports whether a redaction of the path replaces the text at a place. The [fixedFields] stay, unless the
// path names such a field, or a field above it is one of the [freeFields].
func isRedactable(at, path []string) bool {
	if len(path) > 0 {
		return len(at) >= len(path) && slices.Equal(at[:len(path)], path) || at[0] == "title" && slices.Equal(path, []string{"task"})
	}
	free := slices.IndexFunc(at, func(name string) bool { return slices.Contains(freeFields, name) })
	fixed := slices.IndexFunc(at, func(name string) bool { return slices.Contains(fixedFields, name) })
	return fixed < 0 || free >= 0 && free < fixed
}

// mapTexts replaces each text in an object by the result of fn, and removes each field for whose new value keep returns
// false. It reports whether the object changed. The argument at has the names of the fields that lead to the text or the
// value: the entries of a list have the name of the list.
func mapTexts(object map[string]any, at []string, fn func(at []string, text string) string, keep func(at []string, v any) bool) (changed bool) {
	var mapValue func(v any, at []string) any
	mapValue = func(v any, at []string) any {
		switch v := v.(type) {
		case string:
			text := fn(at, v)
			changed = changed || text != v
			return text
		case []any:
			for i := range v {
				v[i] = mapValue(v[i], at)
			}
		case map[string]any:
			changed = mapTexts(v, at, fn, keep) || changed
		}
		return v
	}
	for name, v := range object {
		within := append(slices.Clip(at), name)
		if object[name] = mapValue(v, within); !keep(within, object[name]) {
			delete(object, name)
			changed = true
		}
	}
	return changed
}

// fixedFields lists the fields of messages whose values are agents, ids, times and other words of the protocol.
// freeFields lists the fields whose value is an object of the sender. The sender chooses the names in such an object.
var (
	fixedFields = strings.Fields(`
		source target metadata rollback type status outcome action handoff_id completion_id failure_id
		checkpoint_id claim_token to from at with of by then rollback_to suggested_alternative workflow parent
		output_schema timeout estimated_duration priority deadline`)
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
	var object map[string]any
	if err := schemas.DecodeNumbers(content, &object); err != nil {
		return nil, err
	}
	drop := func(at []string, text string) string {
		name := at[len(at)-1]
		switch {
		case len(at) > 1 && at[len(at)-2] == "references" && name == "digest":
			return schemas.NotKept
		case len(text) > maxShortText && name != "title": // the record has the title, too
			return NotKept
		}
		return text
	}
	keep := func(at []string, v any) bool { return !slices.Contains(freeFields, at[len(at)-1]) || !isLongValue(v) }
	if !mapTexts(object, nil, drop, keep) {
		return nil, nil
	}
	object[schemas.NotKept] = true
	return schemas.Encode(object)
}

func isLongValue(v any) bool {
	b, err := schemas.Encode(v)
	return err != nil || len(b) > maxShortText
}

package compose

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// Redacted stands in the place of a text that was taken out.
const Redacted = "[redacted]"

// Redact gives content, which is one JSON object, with [Redacted] in the place of each text under a path such as
// data.token, or of all texts where the path is empty; nil where there is none. A path leads through every entry of a
// list. Names of fields, numbers, times and what says who, where and when stay, so a handoff without its texts can still
// be claimed, completed and listed. A title goes with the task that it may
// have been made of. The error is that of decoding.
func Redact(content []byte, path string) ([]byte, error) {
	object, err := objectOf(content)
	if err != nil {
		return nil, err
	}
	_, changed := redact(object, strings.FieldsFunc(path, func(r rune) bool { return r == '.' }), false)
	if path == "task" {
		_, title := redact(object, []string{"title"}, false)
		changed = changed || title
	}
	if !changed {
		return nil, nil
	}
	return schemas.Encode(object)
}

// objectOf decodes content, with numbers as they are written.
func objectOf(content []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	err = d.Decode(&object)
	return object, err
}

// redact replaces the texts at the end of a path through a value, and tells whether there were any. In an object whose
// names are ours it leaves the [fixedFields] alone, unless the path names one. A text that is a time stays. One that was
// taken out before is no change, so taking out the same twice changes nothing.
func redact(v any, path []string, free bool) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil || len(path) > 0 || v == "" || v == Redacted {
			return v, false
		}
		return Redacted, true
	case []any:
		for i := range v {
			item, did := redact(v[i], path, free)
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

// redactField is redact for a field of an object.
func redactField(name string, v any, path []string, free bool) (_ any, changed bool) {
	switch {
	case len(path) > 0 && path[0] == name:
		return redact(v, path[1:], true)
	case len(path) == 0 && (free || !slices.Contains(fixedFields, name)):
		return redact(v, nil, free || slices.Contains(freeFields, name))
	}
	return v, false
}

// places are the fields of our own messages that say who, where and when, and freeFields those under which the names are
// the sender's.
var (
	fixedFields = []string{
		"source", "target", "metadata", "rollback", "type", "status", "outcome", "action", "handoff_id", "completion_id",
		"failure_id", "checkpoint_id", "claim_token", "to", "from", "at", "with", "of", "by", "then", "rollback_to",
		"suggested_alternative", "workflow", "parent", "output_schema", "timeout", "estimated_duration", "priority",
		"deadline",
	}
	freeFields = []string{"data", "state", "results", "output", "extra"}
)

// NotKept stands in the place of a text for which a workspace no longer spends space.
const NotKept = "[no longer kept]"

// shortText is the size in bytes up to which a text is kept: a title, a summary, a note in one sentence.
const shortText = 200

// Lessen gives content, which is one JSON object, without what takes space: texts over 200 bytes become [NotKept], what
// is still longer then in a field whose form is the sender's goes, and digests of content that was sent along become
// [schemas.NotKept]. What says who, where and when stays, and so do titles, tags and short texts. The field
// [schemas.NotKept] is added. It gives nil where nothing of that is there, so what was lessened once stays as it is. The
// error is that of decoding.
func Lessen(content []byte) ([]byte, error) {
	object, err := objectOf(content)
	if err != nil {
		return nil, err
	}
	if _, changed := lessen("", object); !changed {
		return nil, nil
	}
	object[schemas.NotKept] = true
	return schemas.Encode(object)
}

// lessen lessens what is in a field with a name, or in a list there.
func lessen(field string, v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if len(v) > shortText && field != "title" { // which stands in the record, too
			return NotKept, true
		}
	case []any:
		for i := range v {
			item, did := lessen(field, v[i])
			v[i], changed = item, changed || did
		}
	case map[string]any:
		for name := range v {
			changed = lessenField(field, v, name) || changed
		}
	}
	return v, changed
}

// lessenField lessens a field of an object, which is in a field itself, and tells whether it changed.
func lessenField(within string, object map[string]any, name string) (changed bool) {
	was := object[name]
	switch {
	case slices.Contains(freeFields, name) && isLong(was):
		if object[name], _ = lessen(name, was); isLong(object[name]) {
			delete(object, name) // it has many short texts
		}
		return true
	case within == "references" && name == "digest":
		object[name] = schemas.NotKept
		return was != schemas.NotKept
	}
	object[name], changed = lessen(name, was)
	return changed
}

func isLong(v any) bool {
	b, err := schemas.Encode(v)
	return err != nil || len(b) > shortText
}

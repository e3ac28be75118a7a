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

// Redact returns content, which is one JSON object, with [Redacted] in the place of each text under a path such as
// data.token, or of all texts if the path is empty. It returns nil if there is no such text. A path leads through every
// entry of a list. Names of fields, numbers, times and the [fixedFields] stay, so a handoff without its texts can still
// be claimed, completed and listed. A title goes with its task, since it may come from the task. The error comes from
// decoding.
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

// objectOf decodes content. Numbers keep their text.
func objectOf(content []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	err = d.Decode(&object)
	return object, err
}

// redact replaces the texts at the end of a path through a value, and tells whether it replaced one. In our own
// messages it leaves the [fixedFields] alone, unless the path names one; free tells that the names are the sender's. A
// text that is a time stays. A text that was removed before is no change, so removing the same twice changes nothing.
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

// redactField does [redact] for a field of an object.
func redactField(name string, v any, path []string, free bool) (_ any, changed bool) {
	switch {
	case len(path) > 0 && path[0] == name:
		return redact(v, path[1:], true)
	case len(path) == 0 && (free || !slices.Contains(fixedFields, name)):
		return redact(v, nil, free || slices.Contains(freeFields, name))
	}
	return v, false
}

// fixedFields are the fields of our own messages with agents, places and times. Under freeFields the names of fields
// are the sender's.
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

// shortText is the size in bytes up to which a text is kept: a title, a summary, a note in one sentence.
const shortText = 200

// Lessen returns content, which is one JSON object, without its large texts: texts over 200 bytes become [NotKept], a
// free field that is still longer than that is removed, and digests of attached content become [schemas.NotKept].
// Agents, places and times stay, and so do titles, tags and short texts. It adds the field [schemas.NotKept]. It
// returns nil if there is nothing to remove, so lessened content stays as it is. The error comes from decoding.
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

// lessen lessens the value of a field, or of a list in it.
func lessen(field string, v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if len(v) > shortText && field != "title" { // the record has the title, too
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

// lessenField lessens one field of an object and tells whether it changed. Within is the field that has the object.
func lessenField(within string, object map[string]any, name string) (changed bool) {
	was := object[name]
	switch {
	case slices.Contains(freeFields, name) && isLong(was):
		if object[name], _ = lessen(name, was); isLong(object[name]) {
			delete(object, name) // it is still long, with many short texts
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

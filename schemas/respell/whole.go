package respell

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
	"handoff/schemas/closest"
)

// These are the names of fields in which other systems put a whole message. The object around a field of callFields is
// the call of a tool or its result, and the object around another one is an entry of a queue or a mail.
var (
	messageFields = []string{"handoff", "package", "message", "payload", "body", "completion", "request"}
	callFields    = []string{"structured_content", "content", "arguments", "params", "result", "output", "response", "input", "function"}
)

// unwrapEnvelope takes a message out of its envelope, which is an object with the message in one of its fields.
// Envelopes may be nested. The other fields of the envelope are added to the message. A field that resembles none of
// ours, or that the message also has, goes to the overflow path, and so do the headers of a call. Beside a message in a
// call, and in arguments that are no file, only headers may stand.
//
// A field that is an argument of the tool holds no message, nor does a value in which [messageIn] finds none.
func (t *aliasTable) unwrapEnvelope(outer map[string]any, inFile bool) map[string]any {
	for _, name := range slices.Concat(messageFields, callFields) {
		key, ofCall := firstKeyOf(outer, []string{name}), slices.Contains(callFields, name)
		inner := messageIn(outer[key])
		if inner == nil || t.own.fields[name] != nil || (ofCall || !inFile) && !hasOnlyHeadersBeside(outer, key) {
			continue
		}
		message := t.unwrapEnvelope(maps.Clone(inner), inFile)
		for _, said := range slices.Sorted(maps.Keys(outer)) {
			again, list := reflect.DeepEqual(messageIn(outer[said]), inner), asList(outer[said])
			if isEmpty(outer[said]) || again && len(list) == 1 {
				continue
			}
			path := t.overflow("envelope." + schemas.SnakeCase(said))
			if !again && (!ofCall || !slices.Contains(envelopeHeaders()[schemas.SnakeCase(said)], "call")) && t.canAddTo(message, said) {
				path = said
			}
			setAt(message, path, outer[said])
		}
		return message
	}
	return outer
}

// canAddTo reports whether a field of an envelope can be added to the message: it is a field of ours that the message
// does not have, or resembles one and is no header.
func (t *aliasTable) canAddTo(message map[string]any, name string) bool {
	_, field := t.fields.findField(name)
	return (field != nil || envelopeHeaders()[schemas.SnakeCase(name)] == nil && t.resemblesOurs(name)) && firstKeyOf(message, []string{schemas.SnakeCase(name)}) == ""
}

// messageIn returns the object that a value of an envelope is: the object itself, its JSON text, or the first object in
// a list. In a list the object may be the text of a block. It returns nil if there is none. An object that names the
// next agent is a continuation, and no message.
func messageIn(v any) map[string]any {
	v = unwrapJSON(v, "{[")
	_, isList := v.([]any)
	for _, item := range asList(v) {
		object, _ := unwrapJSON(item, "{").(map[string]any)
		if text, isText := object["text"].(string); isText && isList {
			object, _ = unwrapJSON(text, "{").(map[string]any)
		}
		if len(object) > 0 && firstKeyOf(object, []string{"next_agent"}) == "" {
			return object
		}
	}
	return nil
}

// envelopeHeaders maps the names of headers to the kind of their envelope: a call or a mail.
func envelopeHeaders() map[string][]string { return wordsBySection()["envelope headers"] }

// hasOnlyHeadersBeside reports whether an envelope has only headers beside a field, or the same message again. A
// field with the value true, such as is_error, counts as more than a header.
func hasOnlyHeadersBeside(envelope map[string]any, field string) bool {
	for key, v := range envelope {
		if key != field && !isEmpty(v) && (v == true || envelopeHeaders()[schemas.SnakeCase(key)] == nil && !slices.Contains(callFields, schemas.SnakeCase(key))) {
			return false
		}
	}
	return true
}

// keepUnknownFields moves unknown fields to the overflow path where they decide nothing, see [normalisation.keeps]. The
// other unknown fields stay, so that the decoder refuses them. It skips the argument agent, which every tool accepts,
// and objects with their own alias table, whose unknown fields were moved with that table. It also skips an item of a
// list that lacks a required field: its unknown field may be the mistyped one, and the decoder names both.
func (n *normalisation) keepUnknownFields(s *shape, v any, at string) error {
	if list, ok := v.([]any); ok {
		for i, e := range list {
			if err := n.keepUnknownFields(s, e, at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	}
	object, _ := v.(map[string]any)
	lacks := func(name string) bool { return s.fields[name].required && isEmpty(object[name]) }
	if s.fields == nil || strings.HasSuffix(at, "]") && slices.ContainsFunc(slices.Collect(maps.Keys(s.fields)), lacks) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		path, field, err := fieldPath(at, key), s.fields[key], error(nil)
		switch {
		case n.inner[path] != nil || path == "agent":
		case field != nil:
			err = n.keepUnknownFields(field, object[key], path)
		case n.keeps(path):
			if !isEmpty(object[key]) {
				_, err = n.keepInOverflow(path, object[key])
			}
			delete(object, key)
			removeAt(n.args, path) // and the objects around it that are empty
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether the unknown field at a path decides nothing, so that it may be kept: it is in the context or in
// an object of another protocol. At the top, a message that has a version or a header of another protocol keeps fields
// that are no mistyped fields of ours. A message that is newer than this program keeps all.
func (n *normalisation) keeps(path string) bool {
	outer, _, inside := strings.Cut(path, ".")
	switch {
	case n.newer, inside && outer == "context":
		return true
	case inside:
		return n.own.fields[outer] == nil && (n.isMessage() || n.own.fields["context"] != nil)
	}
	return n.foreign && !n.resemblesOurs(path)
}

// isMessage reports whether the tool takes messages of other protocols, which have a version, and keeps their origin.
func (t *aliasTable) isMessage() bool { return t.fields.fields["version"] != nil }

// isNewer reports whether the version of a message, such as 2, "2.0" or "v2", is above ours.
func isNewer(version any) bool {
	major, _, _ := strings.Cut(strings.TrimPrefix(valueText(version), "v"), ".")
	number, err := strconv.Atoi(major)
	return err == nil && number > schemas.Version
}

// resemblesOurs reports whether an unknown name is likely a mistyped name of a field that may decide something, which
// is any field outside of the context.
func (t *aliasTable) resemblesOurs(name string) bool {
	tells := func(known string) bool { return strings.HasPrefix(t.paths[known][0], "context.") }
	return mistypedName(name, slices.DeleteFunc(slices.Sorted(maps.Keys(t.paths)), tells)) != ""
}

// mistypedName returns the name that the writer of an unknown name likely mistyped, or "". Both have as many words. It
// corrects no short names and no abbreviations, because each could be a name of its own.
func mistypedName(written string, known []string) string {
	written = schemas.SnakeCase(written)
	for _, name := range closest.LikelyNames(written, known) {
		longer := len(name) - len(written)
		resembles := func(word, meant string) bool { return len(closest.LikelyNames(word, []string{meant})) > 0 }
		if len(name) > 3 && max(longer, -longer) <= 2 && unclearNames()[written] == nil &&
			slices.EqualFunc(wordsOf(written), wordsOf(name), resembles) {
			return name
		}
	}
	return ""
}

package respell

import (
	"maps"
	"slices"
	"strconv"
)

// envelopeFields are the names of fields in which other systems put a whole message.
var envelopeFields = []string{
	"handoff", "package", "message", "payload", "body", "content", "arguments", "params", "completion", "request",
}

// unwrapEnvelope takes a message out of its envelope, which is an object with the message in one of its fields.
// Envelopes may be nested. The other fields of the envelope are added to the message. A field that is unknown, or that
// the message also has, goes to the overflow path.
//
// Some values in these fields are no messages: a value that is no object, an argument of the tool, and an object that
// names the next agent. The last is a continuation.
func (t *aliasTable) unwrapEnvelope(outer map[string]any) map[string]any {
	for _, name := range envelopeFields {
		key := firstKeyOf(outer, []string{name})
		inner, ok := unwrapJSON(outer[key], "{").(map[string]any)
		if key == "" || !ok || len(inner) == 0 || t.own.fields[name] != nil || firstKeyOf(inner, []string{"next_agent"}) != "" {
			continue
		}
		message := t.unwrapEnvelope(inner)
		for _, said := range slices.Sorted(maps.Keys(outer)) {
			if said == key || isEmpty(outer[said]) {
				continue
			}
			path := said
			if _, field := t.fields.findField(said); field == nil || firstKeyOf(message, []string{snakeCase(said)}) != "" {
				path = t.overflow("envelope." + said)
			}
			setAt(message, path, outer[said])
		}
		return message
	}
	return outer
}

// keepUnknownFields moves each field that the shape does not have to the overflow path, so that a whole message is
// accepted. It skips the argument agent, which every tool accepts. It also skips objects with their own alias table,
// whose unknown fields were moved with that table.
func (n *normalisation) keepUnknownFields(s *shape, v any, at string) error {
	if list, ok := v.([]any); ok {
		for i, e := range list {
			if err := n.keepUnknownFields(s, e, at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	}
	object, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		path, field, err := fieldPath(at, key), s.fields[key], error(nil)
		switch {
		case s.fields == nil || n.inner[path] != nil || path == "agent":
		case field != nil:
			err = n.keepUnknownFields(field, object[key], path)
		default:
			v := object[key]
			delete(object, key)
			err = n.keepFieldsInOverflow(path, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepFieldsInOverflow moves a value to the overflow path. It moves the fields of an object one by one, so that fields
// of the same object that were moved earlier stay.
func (n *normalisation) keepFieldsInOverflow(from string, v any) error {
	object, ok := v.(map[string]any)
	if !ok || len(object) == 0 {
		if isEmpty(v) {
			return nil
		}
		_, err := n.keepInOverflow(from, v)
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := n.keepFieldsInOverflow(fieldPath(from, key), object[key]); err != nil {
			return err
		}
	}
	return nil
}

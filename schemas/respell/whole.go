package respell

import (
	"maps"
	"slices"
	"strconv"
)

// envelopes are fields that hold a whole message in other systems.
var envelopes = []string{
	"handoff", "package", "message", "payload", "body", "content", "arguments", "params", "completion", "request",
}

// unwrap takes a message out of its envelope, and out of nested envelopes. Fields of the envelope are added to the
// message. An unknown field, or one that the message has itself, goes to the overflow path. A message that is no
// object, or that stands in a field of the tool, is in no envelope. An object that names the next agent is no message
// either.
func (t *aliasTable) unwrap(outer map[string]any) map[string]any {
	for _, name := range envelopes {
		key := keyOf(outer, []string{name})
		inner, ok := unwrapJSON(outer[key], "{").(map[string]any)
		if key == "" || !ok || len(inner) == 0 || t.own.fields[name] != nil || keyOf(inner, []string{"next_agent"}) != "" {
			continue
		}
		message := t.unwrap(inner)
		for _, said := range slices.Sorted(maps.Keys(outer)) {
			if said == key || isEmpty(outer[said]) {
				continue
			}
			path := said
			if _, field := t.fields.find(said); field == nil || keyOf(message, []string{snake(said)}) != "" {
				path = t.overflow("envelope." + said)
			}
			putAt(message, path, outer[said])
		}
		return message
	}
	return outer
}

// setAsideUnknown sets aside each field of a value that the shape lacks: a whole message is accepted with all its
// fields. It skips the argument agent, which every tool has. Objects with a table of their own were searched with
// that table.
func (n *normalisation) setAsideUnknown(s *shape, v any, at string) error {
	if list, ok := v.([]any); ok {
		for i, e := range list {
			if err := n.setAsideUnknown(s, e, at+"["+strconv.Itoa(i)+"]"); err != nil {
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
			err = n.setAsideUnknown(field, object[key], path)
		default:
			v := object[key]
			delete(object, key)
			err = n.setAsideAll(path, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setAsideAll sets aside a value, next to earlier fields of the same object.
func (n *normalisation) setAsideAll(from string, v any) error {
	object, ok := v.(map[string]any)
	if !ok || len(object) == 0 {
		if isEmpty(v) {
			return nil
		}
		_, err := n.setAside(from, v)
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := n.setAsideAll(fieldPath(from, key), object[key]); err != nil {
			return err
		}
	}
	return nil
}

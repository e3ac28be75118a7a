package compose

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
)

// ApplyChanges first removes the entries in c.Remove from a handoff, and then merges the other changes into the
// handoff, see [MergeChanges]. It returns the names of the changed fields. The error is invalid for a removal that
// matches nothing. After an error h may be changed in part, and must not be used.
func ApplyChanges(h *schemas.Handoff, c schemas.Changes) (changed []string, err error) {
	if changed, err = removeEntries(h, c.Remove); err != nil {
		return nil, err
	}
	mergeInto(&changed, MergeChanges(h, c))
	return changed, nil
}

// impliedRemovals are the fields that go with a removed field, because they are of no use, or mean the same.
var impliedRemovals = map[string]string{"review": "max_rounds", "deadline": "timeout"}

// removeEntries removes the parts in r from a handoff, and returns the names of the changed fields. The mailbox removes
// dependencies. The error is invalid for an entry that the handoff does not have, for a field that cannot be removed,
// and for a field that has a value but came with an empty value.
func removeEntries(h *schemas.Handoff, r schemas.Removal) (changed []string, err error) {
	fields := removableFields(h)
	for _, path := range r["empty"] {
		name := path[strings.LastIndexByte(path, '.')+1:]
		if v := fields[name]; v.IsValid() && !v.IsZero() {
			return nil, schemas.Invalidf(path, "an empty value takes nothing away").
				WithHint("changes: {remove: [%q]} does. Leave the field out to keep it. Nothing was changed.", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r)) {
		switch v := fields[name]; {
		case name == "empty" || strings.HasPrefix(name, "after"):
		case !v.IsValid():
			return nil, schemas.Invalidf("remove", "%q cannot be emptied", schemas.EscapeHidden(schemas.Clip(name, 80))).
				WithChoices(slices.Sorted(maps.Keys(fields))...).WithHint("Other fields get another value, as changes: " +
				"{title: text, priority: low, options: {not_before: now}}. Only a person lifts an approval. Nothing was changed.")
		case len(r[name]) > 0 && hasEntries(v.Type()):
			if err := removeFrom(v, r[name]); err != nil {
				return nil, schemas.AsError(err).WithField("remove." + name)
			}
			changed = append(changed, name)
		default:
			for _, field := range []string{name, impliedRemovals[name]} {
				if v := fields[field]; v.IsValid() && !v.IsZero() {
					v.SetZero()
					changed = append(changed, field)
				}
			}
		}
	}
	return changed, nil
}

// removableFields returns the fields that a removal may name: all that a sender gives in the context, the expectations
// and the rollback, except the commit with which checks compare, and the other fields that a handoff can do without.
func removableFields(h *schemas.Handoff) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	others := strings.Fields("summary detail data tags requirements kind task_id reason phase deadline no_takers requires strategy recall after after_accepted")
	for i, part := range []any{
		cmp.Or(h.Context, &schemas.Context{}), cmp.Or(h.Expectations, &schemas.Expectations{}),
		cmp.Or(h.Rollback, &schemas.Rollback{}), h, &h.Metadata, &h.Target, &h.Source,
	} {
		v := reflect.ValueOf(part).Elem()
		for name, f := range schemas.Fields(v.Type()) {
			if i < 3 && !isFilledByServer(f) && name != "base" || slices.Contains(others, name) {
				fields[name] = v.FieldByIndex(f.Index)
			}
		}
	}
	return fields
}

// hasEntries reports whether a removal may name entries of a field. Any other field is removed as a whole.
func hasEntries(t reflect.Type) bool {
	return t != reflect.TypeFor[json.RawMessage]() && slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.String}, t.Kind())
}

// removeFrom removes entries from a list, from a map, or from a text, which is its only entry. An entry is named by its
// text, by the first text of the object that it is, by its name in a map, or by a number, such as "2" for the second
// entry of a list. All numbers count in the list before any removal. If the list has the text "2" itself, "2" means
// that text. Of several equal texts, the first is removed.
func removeFrom(field reflect.Value, gone []string) error {
	var texts []string
	var places []int
	kind, kept := field.Kind(), reflect.Zero(field.Type())
	switch kind { //nolint:exhaustive // all others are lists
	case reflect.String:
		texts = []string{field.String()}
	case reflect.Map:
		texts = schemas.Map(field.MapKeys(), reflect.Value.String)
		kept = reflect.MakeMap(field.Type())
	default:
		for _, item := range field.Seq2() {
			if item.Kind() == reflect.Struct {
				item = item.Field(0)
			}
			texts = append(texts, item.String())
		}
	}
	for _, text := range gone {
		i := slices.Index(texts, text)
		if n, err := strconv.Atoi(strings.TrimSpace(text)); i < 0 && err == nil && n > 0 && n <= len(texts) && kind == reflect.Slice {
			i = n - 1
		}
		if i < 0 {
			return schemas.Invalidf("", "there is no %q", schemas.EscapeHidden(schemas.Clip(text, 80))).WithChoices(texts...).
				WithHint("Name it as it stands, or by its number, or only the field to empty it. Nothing was changed.")
		}
		places = append(places, i)
	}
	for i, text := range texts {
		switch {
		case slices.Contains(places, i):
		case kind == reflect.Map:
			kept.SetMapIndex(reflect.ValueOf(text), field.MapIndex(reflect.ValueOf(text)))
		default:
			kept = reflect.Append(kept, field.Index(i))
		}
	}
	field.Set(kept)
	return nil
}

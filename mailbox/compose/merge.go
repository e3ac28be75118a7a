package compose

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"handoff/schemas"
)

// MergeChanges applies changes to a handoff and returns the names of the changed fields. It extends lists, merges maps,
// and replaces other values. An empty field of the changes leaves the old value, so an amendment cannot empty a field,
// except the lists of dependencies, see [None]. Times, such as the deadline, are an exception: MergeChanges only
// returns their names, and the caller sets them, because this needs a clock. If the old title was made from the old
// task, a new title is made from the new task.
//
// MergeChanges changes h. It copies the lists and maps of h before it changes them, because the earlier content is
// kept. Merging the same changes a second time changes nothing.
func MergeChanges(h *schemas.Handoff, c schemas.Changes) (changed []string) {
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	if c.Title == "" && h.Title == TitleFromTask(h.Task) {
		c.Title = TitleFromTask(cmp.Or(c.Task, h.Task)) // the sender gave none
	}
	note("task", mergeInto(&h.Task, c.Task))
	note("title", mergeInto(&h.Title, c.Title))
	note("type", mergeInto(&h.Type, c.Type))
	note("summary", mergeInto(&h.Summary, c.Summary))
	note("detail", mergeInto(&h.Detail, c.Detail))
	note("data", mergeInto(&h.Data, c.Data))
	note("priority", mergeInto(&h.Metadata.Priority, c.Priority))
	note("deadline", c.Deadline != "")
	note("tags", mergeInto(&h.Tags, SplitTags(c.Tags)))
	note("requirements", mergeInto(&h.Requirements, c.Requirements))
	mergeOptions(h, c.Options, note)
	note("context", replaceIfDifferent(&h.Context, mergeContext(h.Context, c.Context)))
	note("expectations", replaceIfDifferent(&h.Expectations, mergedCopy(h.Expectations, c.Expectations)))
	note("rollback", replaceIfDifferent(&h.Rollback, mergedCopy(h.Rollback, c.Rollback)))
	return changed
}

// replaceIfDifferent replaces a part of a handoff, and reports whether the new part differs.
func replaceIfDifferent[T any](have **T, with *T) bool {
	changed := !reflect.DeepEqual(*have, with)
	*have = with
	return changed
}

// mergeContext does the work of [mergedCopy] for contexts. In addition, a reference in more replaces stored content of
// the same name.
func mergeContext(have, more *schemas.Context) *schemas.Context {
	if have == nil || more == nil {
		return mergedCopy(have, more)
	}
	c := *have
	c.References = slices.DeleteFunc(slices.Clone(c.References), func(r schemas.Reference) bool {
		return r.IsKept() && slices.ContainsFunc(more.References, func(now schemas.Reference) bool { return now.Name == r.Name })
	})
	return mergedCopy(&c, more)
}

// mergedCopy returns a copy of have, a part of a handoff, with more merged into the copy, see [mergeInto]. If more is
// nil, it returns have itself.
func mergedCopy[T any](have, more *T) *T {
	if more == nil {
		return have
	}
	part := *cmp.Or(have, new(T))
	mergeInto(&part, *more)
	return &part
}

// mergeInto merges more into the value have, and reports whether have changed. A list gets the new entries of more, a
// map gets the keys of more, and each field of a struct is merged by itself. Any other value is replaced. A schema is
// replaced as a whole, because two schemas cannot be joined. A zero value in more means no change, so a true bool stays
// true.
//
// Fields that the server fills in do not change, see [isFilledByServer]. Lists and maps are copied before the change.
func mergeInto[T any](have *T, more T) bool {
	return mergeValue(reflect.ValueOf(have).Elem(), reflect.ValueOf(more))
}

func mergeValue(have, more reflect.Value) (changed bool) {
	switch kind := more.Kind(); {
	case kind == reflect.Struct:
		for f, said := range more.Fields() {
			if !isFilledByServer(f) {
				changed = mergeValue(have.FieldByIndex(f.Index), said) || changed
			}
		}
		return changed
	case kind == reflect.Slice && more.Type() != reflect.TypeFor[json.RawMessage]():
		more = extendList(have, more)
	case kind == reflect.Map:
		more = joinMaps(have, more)
	}
	if more.IsZero() || reflect.DeepEqual(have.Interface(), more.Interface()) {
		return false
	}
	have.Set(more)
	return true
}

// isFilledByServer reports whether the server fills in a field, so that callers cannot set the field.
func isFilledByServer(f reflect.StructField) bool {
	return strings.Contains(f.Tag.Get("jsonschema_extras"), "x-filled")
}

// extendList returns a copy of a list with the entries of more that the list does not have yet.
func extendList(list, more reflect.Value) reflect.Value {
	all := reflect.AppendSlice(reflect.Zero(list.Type()), list)
	for _, item := range more.Seq2() {
		known := false
		for _, other := range all.Seq2() {
			known = known || reflect.DeepEqual(item.Interface(), other.Interface())
		}
		if !known {
			all = reflect.Append(all, item)
		}
	}
	return all
}

// joinMaps returns a copy of a map with the keys of more added.
func joinMaps(have, more reflect.Value) reflect.Value {
	if more.Len() == 0 {
		return have
	}
	all := reflect.MakeMap(have.Type())
	for _, from := range []reflect.Value{have, more} {
		for key, value := range from.Seq2() {
			all.SetMapIndex(key, value)
		}
	}
	return all
}

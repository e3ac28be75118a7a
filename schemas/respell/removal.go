package respell

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
)

// toRemoval reads the names of fields to remove: one text, a list, or an object with the entries to remove under each
// name. It accepts synonyms, and names below the object of the field, such as options.
func toRemoval(v any) (any, bool) {
	found := map[string]any{}
	addRemovals(found, "fields", v)
	return found, true
}

// changesPaths are the paths of the fields in the changes.
var changesPaths = sync.OnceValue(func() fieldPaths {
	return fieldPathsOf(shapeOf(reflect.TypeFor[schemas.Changes]()), "options.join", "checkpoint")
})

// changeGroups are the objects in the changes, and the list of whole fields in a removal.
var changeGroups = []string{"context", "expectations", "options", "rollback", "fields"}

// addRemovals adds the entries v of a field, or of each field in a group. True, "all" and an empty value other than a
// list mean the whole field, which an empty list stands for in the removal.
func addRemovals(found map[string]any, name string, v any) {
	v = unwrapJSON(v, "[{")
	object, isObject := v.(map[string]any)
	list, isList := v.([]any)
	isGroup := slices.Contains(changeGroups, name)
	outer, inner, isPath := strings.Cut(name, ".")
	if place, ok := changesPaths().findProperPath(schemas.SnakeCase(name)); ok && !isGroup {
		name = place[strings.LastIndexByte(place, '.')+1:]
	}
	switch {
	case isPath:
		addRemovals(found, outer, map[string]any{inner: v})
	case isGroup:
		addRemovalsInGroup(found, name, v)
	case v == true, v == "all", isEmpty(v) && !isList:
		found[name] = []any{}
	case isObject:
		addRemovals(found, name, schemas.Map(slices.Sorted(maps.Keys(object)), func(key string) any { return key }))
	case !isList || len(list) > 0:
		found[name] = schemas.Map(asList(v), func(e any) any { return valueText(e) })
	}
}

// addRemovalsInGroup adds the entries of each field in a group: an object by field, or a list or a text of field names.
func addRemovalsInGroup(found map[string]any, group string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inside := range v {
			addRemovals(found, key, inside)
		}
	case []any:
		for _, e := range v {
			addRemovals(found, group, e)
		}
	default:
		for field := range strings.SplitSeq(valueText(v), ",") {
			addRemovals(found, strings.TrimSpace(field), true)
		}
	}
}

// gatherRemovals adds a field remove within an object of the changes, such as options.remove, to changes.remove.
func gatherRemovals(n *normalisation) error {
	for _, group := range changeGroups {
		inside, _ := n.args[group].(map[string]any)
		if v, ok := inside["remove"]; ok && n.args["remove"] != nil {
			n.args["remove"] = []any{n.args["remove"], v}
			delete(inside, "remove")
		}
	}
	return nil
}

// listEmptyFields lists in changes.remove the paths of fields that are null, empty or false, because an empty value
// removes nothing, and the mailbox refuses it if the handoff has a value there. Empty lists of dependencies do remove
// the dependencies.
func listEmptyFields(n *normalisation) error {
	var empty []any
	for _, name := range slices.Sorted(maps.Keys(changesPaths())) {
		for _, path := range changesPaths()[name] {
			v, ok := valueAt(n.args, path)
			if _, isList := v.([]any); ok && (isEmpty(v) || v == false) && (!isList || !strings.HasPrefix(name, "after")) {
				empty = append(empty, path)
			}
		}
	}
	if len(empty) > 0 {
		setAt(n.args, "remove.empty", empty)
	}
	return nil
}

package edit

import (
	"errors"
	"maps"
	"reflect"
	"slices"
)

// errOtherwise says that the package cannot make a change, because the new text would have other values than intended.
var errOtherwise = errors.New("it is written in a way that is not changed here")

// isIntended reports whether a change of the values before made the values after: the path has the value, or no value
// if value is nil, and all others are the same. In a list, the element after a deleted one has its index.
func isIntended(before, after any, path []any, value any) bool {
	rest := withoutValueAt(before, path)
	if _, ofList := path[len(path)-1].(int); ofList && value == nil {
		return reflect.DeepEqual(rest, after)
	}
	got, there := lookupValue(after, path)
	return there == (value != nil) && (!there || SameValue(got, value)) && reflect.DeepEqual(rest, withoutValueAt(after, path))
}

// lookupValue returns the value at a path of keys and indices.
func lookupValue(v any, path []any) (any, bool) {
	for _, step := range path {
		there := false
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v, there = object[step]
		case int:
			list, _ := v.([]any)
			if there = step < len(list); there {
				v = list[step]
			}
		}
		if !there {
			return nil, false
		}
	}
	return v, true
}

// withoutValueAt returns v without the value at a path, and without objects on the path that would become empty. Setup
// creates and removes these objects together with the value.
func withoutValueAt(v any, path []any) any {
	if len(path) == 0 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		key, _ := path[0].(string)
		object := maps.Clone(v)
		if object[key] = withoutValueAt(v[key], path[1:]); object[key] == nil {
			delete(object, key)
		}
		if len(object) > 0 {
			return object
		}
		return nil
	case []any:
		n, ok := path[0].(int)
		if !ok || n >= len(v) {
			return v
		}
		list := slices.Clone(v)
		if list[n] = withoutValueAt(v[n], path[1:]); len(path) == 1 {
			return slices.Delete(list, n, n+1)
		}
		return list
	}
	return v
}

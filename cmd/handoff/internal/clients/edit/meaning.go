package edit

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
)

// errOtherwise says that a text would not say what it is meant to.
var errOtherwise = errors.New("it is written in a way that is not changed here")

// A meaning tells of what a text says whether it was meant.
type meaning func(after any) bool

// withSet is what is meant by a value at a path, where a text said something before.
func withSet(before any, path []any, value any) meaning {
	return func(after any) bool {
		got, ok := look(after, path)
		return ok && Same(got, value) && equalBut(path, before, after)
	}
}

// withAppended is what is meant by a value at the end of the list at a path.
func withAppended(before any, path []any, value any) meaning {
	old, _ := look(before, path)
	list, _ := old.([]any)
	return withSet(before, path, append(slices.Clip(list), value))
}

// withDeleted is what is meant by nothing at a path. In a list the next item takes the place.
func withDeleted(before any, path []any) meaning {
	last := len(path) - 1
	n, ofList := path[last].(int)
	return func(after any) bool {
		if !ofList {
			_, still := look(after, path)
			return !still && equalBut(path, before, after)
		}
		old, _ := look(before, path[:last])
		list, _ := old.([]any)
		rest, _ := look(after, path[:last])
		return n < len(list) && equal(rest, slices.Delete(slices.Clone(list), n, n+1)) && equalBut(path[:last], before, after)
	}
}

// look gives the value at a path of keys and indices.
func look(v any, path []any) (any, bool) {
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

// equalBut tells whether two values say the same besides what is at a path, and objects and lists above it that hold
// nothing else: those come and go with it.
func equalBut(path []any, a, b any) bool { return equal(without(a, path), without(b, path)) }

// without gives a value without what is at a path in it, and nothing for what is empty then. The value stays as it
// is.
func without(v any, path []any) any {
	if len(path) == 0 {
		return nil
	}
	switch step := path[0].(type) {
	case string:
		if object, ok := v.(map[string]any); ok {
			return withoutKey(maps.Clone(object), step, path[1:])
		}
	case int:
		if list, ok := v.([]any); ok && step < len(list) {
			return withoutIndex(slices.Clone(list), step, path[1:])
		}
	}
	return v
}

func withoutKey(object map[string]any, key string, path []any) any {
	if rest := without(object[key], path); rest != nil {
		object[key] = rest
	} else {
		delete(object, key)
	}
	if len(object) == 0 {
		return nil
	}
	return object
}

func withoutIndex(list []any, n int, path []any) any {
	if rest := without(list[n], path); rest != nil {
		list[n] = rest
	} else {
		list = slices.Delete(list, n, n+1)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// Alike tells whether two documents say the same. Numbers are the same if they are as others read them: those of
// JSON have no more than 53 bits there.
func Alike(a, b Document) bool {
	one, _ := a.Look()
	other, _ := b.Look()
	return equal(rounded(one), rounded(other))
}

// rounded gives a value with its numbers as others read them.
func rounded(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, value := range v {
			all[key] = rounded(value)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, value := range v {
			all[i] = rounded(value)
		}
		return all
	case int64:
		return float64(v)
	case json.Number:
		if number, err := v.Float64(); err == nil {
			return number
		}
	}
	return v
}

// equal tells whether two values are the same. Unlike elsewhere, what is no number is itself.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || a != a && b != b)
	}
	return reflect.DeepEqual(a, b)
}

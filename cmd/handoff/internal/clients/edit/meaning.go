package edit

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
)

// errOtherwise says that the new text would not say what is meant.
var errOtherwise = errors.New("it is written in a way that is not changed here")

// A meaning tells whether what a new text says is what was meant.
type meaning func(after any) bool

// withSet means: this value at a path, and all else as before.
func withSet(before any, path []any, value any) meaning {
	return func(after any) bool {
		got, ok := look(after, path)
		return ok && Same(got, value) && equalBut(path, before, after)
	}
}

// withAppended means: this value at the end of the list at a path, and all else as before.
func withAppended(before any, path []any, value any) meaning {
	old, _ := look(before, path)
	list, _ := old.([]any)
	return withSet(before, path, append(slices.Clip(list), value))
}

// withDeleted means: nothing at a path, and all else as before. In a list the next item moves up.
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

// equalBut tells whether two values say the same besides what is at a path. An object above it that holds nothing
// else may be missing from one of them: it comes and goes with what is at the path.
func equalBut(path []any, a, b any) bool {
	if len(path) == 0 {
		return true
	}
	switch step := path[0].(type) {
	case string:
		one, okOne := objectOf(a)
		other, okOther := objectOf(b)
		if okOne && okOther {
			same := equalBut(path[1:], one[step], other[step])
			delete(one, step)
			delete(other, step)
			return same && equal(one, other)
		}
	case int:
		one, _ := a.([]any)
		other, _ := b.([]any)
		if step < min(len(one), len(other)) {
			rest, otherRest := slices.Delete(slices.Clone(one), step, step+1), slices.Delete(slices.Clone(other), step, step+1)
			return equalBut(path[1:], one[step], other[step]) && equal(rest, otherRest)
		}
	}
	return equal(a, b)
}

// objectOf gives a copy of an object, which is empty where there is nothing.
func objectOf(v any) (map[string]any, bool) {
	if v == nil {
		return map[string]any{}, true
	}
	object, ok := v.(map[string]any)
	return maps.Clone(object), ok
}

// Alike tells whether two documents say the same. It compares numbers as floating point, as most readers of JSON do.
func Alike(a, b Document) bool {
	one, _ := a.Look()
	other, _ := b.Look()
	return equal(rounded(one), rounded(other))
}

// rounded gives a value with its numbers as floating point.
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

// equal tells whether two values are the same. Here NaN equals NaN.
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

// Taken turns a value from Look of one document into one that can be set in another. Its fields come in the order of
// those of an object like it; other fields follow, sorted by name.
func Taken(got any, like client.Object) any {
	switch v := got.(type) {
	case map[string]any:
		o := client.Object{}
		for _, f := range like {
			if value, there := v[f.Key]; there {
				within, _ := f.Value.(client.Object)
				o = append(o, client.Field{Key: f.Key, Value: Taken(value, within)})
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.ContainsFunc(like, func(f client.Field) bool { return f.Key == key }) {
				o = append(o, client.Field{Key: key, Value: Taken(v[key], nil)})
			}
		}
		return o
	case []any:
		all := []any{}
		for _, value := range v {
			all = append(all, Taken(value, nil))
		}
		return all
	}
	return got
}

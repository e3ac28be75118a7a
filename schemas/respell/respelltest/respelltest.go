// Package respelltest inspects messages for tests that no value is lost.
package respelltest

import (
	"strconv"
	"strings"
)

// LeavesByPath returns all values of a message that are not objects or lists, by path, such as context.files[0].path.
// It also returns empty lists and objects.
func LeavesByPath(v any) map[string]any {
	all := map[string]any{}
	visitLeaves(v, "", func(path string, v any) {
		list, isList := v.([]any)
		object, isObject := v.(map[string]any)
		if !isList && !isObject || len(list)+len(object) == 0 {
			all[path] = v
		}
	})
	return all
}

// ValueAt returns the value at a path, which is written as the paths of [LeavesByPath] are. It returns nil if there is
// no value.
func ValueAt(v any, path string) (found any) {
	visitLeaves(v, "", func(at string, v any) {
		if at == path {
			found = v
		}
	})
	return found
}

func visitLeaves(v any, at string, visit func(path string, v any)) {
	visit(at, v)
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			visitLeaves(e, strings.TrimPrefix(at+"."+k, "."), visit)
		}
	case []any:
		for i, e := range v {
			visitLeaves(e, at+"["+strconv.Itoa(i)+"]", visit)
		}
	}
}

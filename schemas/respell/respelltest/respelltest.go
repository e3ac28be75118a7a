// Package respelltest looks into messages for tests that ask whether all that was said is kept.
package respelltest

import (
	"strconv"
	"strings"
)

// Leaves lists the values of a message by path, as context.files[0].path. Empty lists and objects are leaves.
func Leaves(v any) map[string]any {
	all := map[string]any{}
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(e, strings.TrimPrefix(at+"."+k, "."))
			}
			if len(v) > 0 {
				return
			}
		case []any:
			for i, e := range v {
				walk(e, at+"["+strconv.Itoa(i)+"]")
			}
			if len(v) > 0 {
				return
			}
		}
		all[at] = v
	}
	walk(v, "")
	return all
}

// At gives the value at a path as [Leaves] writes them, nil for none.
func At(v any, path string) any {
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, err := strconv.Atoi(strings.Trim(step, "[]"))
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

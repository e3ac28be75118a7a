package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/schemas/respell"
)

// WarnOfReinterpretedFields returns warnings for the sender about a priority that the server reads as another value,
// and about a strategy that has no effect on this message.
func WarnOfReinterpretedFields(in schemas.SendIn) (warnings []string) {
	if p := schemas.ValueOrZero(in.Origin).Extra["priority"]; p != nil {
		warnings = append(warnings, schemas.EscapeHidden(fmt.Sprintf("priority %v is read as %s", p, cmp.Or(in.Priority, schemas.Normal))))
	}
	if schemas.ValueOrZero(in.Options).Strategy == "summary" && in.Summary == "" {
		warnings = append(warnings, "there is no summary: with the strategy summary the brief has an extract of the context, "+
			"and the rest is fetched")
	}
	return warnings
}

// WarnOfUnusedFields returns warnings about fields of a message that match no argument of its tool, or nil if all
// fields match or say nothing about the work. The server stores these fields, but no brief shows them. If a field
// resembles an argument, the warning names that, too.
func WarnOfUnusedFields(tool string, from *schemas.Origin) []string {
	paths := slices.DeleteFunc(valuePaths(schemas.ValueOrZero(from).Extra, ""), func(path string) bool {
		return path == "priority" || respell.SaysNothing(tool, path)
	})
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	for i, path := range paths {
		if meant := respell.MeantPlace(tool, path); meant != "" {
			paths[i] += " (closest: " + meant + ")"
		}
	}
	return []string{"kept in origin.extra, which no brief shows: " + strings.Join(paths, ", ")}
}

// valuePaths returns the paths of the values in an object ("a.b"), in no order. An object without fields counts as a
// value.
func valuePaths(object map[string]any, at string) (paths []string) {
	for name, v := range object {
		if inside, ok := v.(map[string]any); ok && len(inside) > 0 {
			paths = append(paths, valuePaths(inside, at+name+".")...)
			continue
		}
		paths = append(paths, schemas.EscapeHidden(at+name))
	}
	return paths
}

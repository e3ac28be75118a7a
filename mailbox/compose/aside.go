package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
)

// WithoutEffect warns of what is asked for and cannot be done with what was sent: nobody should count on it unknowingly.
func WithoutEffect(in schemas.SendIn) []string {
	if in.Options == nil || in.Options.Strategy != "summary" || in.Summary != "" {
		return nil
	}
	return []string{"there is no summary: with the strategy summary the brief has an extract of the context, " +
		"and the rest is fetched"}
}

// Aside names what a foreign message says that has no place among the arguments, nil for nothing: it is kept, and no
// brief shows it. No map of the message is changed.
func Aside(from *schemas.Origin) []string {
	extra := maps.Clone(cmp.Or(from, &schemas.Origin{}).Extra)
	var warnings []string
	if n, odd := extra["priority"]; odd {
		delete(extra, "priority")
		warnings = append(warnings, fmt.Sprintf("priority %v is none of 0 (critical) to 4 (low): higher numbers count as more "+
			"urgent, up to 10 or 100", n))
	}
	if paths := pathsIn(extra, ""); len(paths) > 0 {
		slices.Sort(paths)
		warnings = append(warnings, "kept in origin.extra, which no brief shows: "+strings.Join(paths, ", "))
	}
	return warnings
}

// pathsIn are the paths of the values in an object. Names are joined by dots, in no order. An object without fields
// counts as a value.
func pathsIn(object map[string]any, at string) (paths []string) {
	for name, v := range object {
		if inside, ok := v.(map[string]any); ok && len(inside) > 0 {
			paths = append(paths, pathsIn(inside, at+name+".")...)
			continue
		}
		paths = append(paths, schemas.Visible(at+name))
	}
	return paths
}

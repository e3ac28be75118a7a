package compose

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"handoff/schemas"
)

//go:embed failure_types.txt
var failureTypesText string

// failureTypes returns an expression for each known type of a failure, which finds its phrases.
var failureTypes = sync.OnceValue(func() map[string]*regexp.Regexp {
	types := map[string]*regexp.Regexp{}
	for _, row := range schemas.TableRows(failureTypesText, 2) {
		types[row[0]] = regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(row[1], ", ", "|") + `)\b`)
	}
	return types
})

// FailureType computes the type of a failure whose holder gave none: the type of its blockers, or else the known type
// that its texts tell. It returns "" if no type or several types are told.
func FailureType(f schemas.FailureDetail) string {
	texts, found := []string{f.Description}, []string{}
	for _, b := range f.Blockers {
		texts = append(texts, b.Description)
		if b.Type != "" {
			found = append(found, b.Type)
		}
	}
	if len(found) == 0 {
		for name, tells := range failureTypes() {
			if tells.MatchString(strings.Join(texts, "\n")) {
				found = append(found, name)
			}
		}
	}
	if found = schemas.Unique(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"handoff/schemas"
)

const (
	maxViolations   = 10
	maxAlternatives = 4
)

// violations lists the violations with their places, in the order of the paths: at most ten, and a count of the rest.
// It lists a violation once, even if several schemas find it.
func violations(e *jsonschema.ValidationError) []string {
	found := collectMessages(e)
	slices.Sort(found)
	return firstTexts(slices.Compact(found), maxViolations)
}

// collectMessages returns the messages of the deepest violations, because a higher one only says that something below
// is wrong. For alternatives it returns the higher message, because no single one below has to be mended.
func collectMessages(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return []string{withPath(e, alternatives(e))}
	case *kind.PropertyNames, *kind.Contains, *kind.MinContains:
		return []string{withPath(e, message(e))} // the causes below are only its variants
	}
	if len(e.Causes) == 0 {
		return []string{withPath(e, message(e))}
	}
	var found []string
	for _, cause := range e.Causes {
		found = append(found, collectMessages(cause)...)
	}
	return found
}

// alternatives gives the reason why each branch does not fit, at most four branches and two reasons each. A model needs
// to see which branch it was closest to.
func alternatives(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		return message(e)
	}
	var why []string
	for i, cause := range e.Causes {
		if i == maxAlternatives {
			why = append(why, fmt.Sprintf("(%d more)", len(e.Causes)-i))
			break
		}
		found := collectMessages(cause)
		why = append(why, strings.Join(found[:min(2, len(found))], ", "))
	}
	return "fits none of the alternatives: " + strings.Join(slices.Compact(why), ", or ")
}

// withPath puts the JSON pointer into the value before a message; (root) stands for the whole value. Both have hidden
// characters made visible and a limit, because names of members come from the sender or the holder. The path has at
// most 200 bytes, the message 400.
func withPath(e *jsonschema.ValidationError, text string) string {
	path := ""
	for _, name := range e.InstanceLocation {
		path += "/" + pointerEscaper.Replace(name)
	}
	path = schemas.Clip(schemas.Visible(cmp.Or(path, "(root)")), maxTextBytes)
	return path + ": " + schemas.Clip(schemas.Visible(text), 2*maxTextBytes)
}

// message describes one violation in words. Most texts come from the library. Others replace texts that would tell a
// model nothing.
func message(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "has the form that is excluded by not"
	case *kind.OneOf:
		return fmt.Sprintf("fits alternatives %v of oneOf, and only one may fit", k.Subschemas)
	}
	leaf := *e
	leaf.Causes = nil
	return leaf.BasicOutput().Error.String()
}

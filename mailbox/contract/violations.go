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
	shownViolations   = 10
	shownAlternatives = 4
)

// violations says what is wrong where, in the order of the paths, at most ten and a count of the rest. The same
// violation is said once, though several schemas find it.
func violations(e *jsonschema.ValidationError) []string {
	found := collect(e)
	slices.Sort(found)
	return first(slices.Compact(found), shownViolations)
}

// collect gives the messages of the violations that lie deepest, since those above only say that something below is
// wrong. For alternatives the one above is the message, as none of those below need be mended.
func collect(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return []string{located(e, alternatives(e))}
	case *kind.PropertyNames, *kind.Contains, *kind.MinContains:
		return []string{located(e, message(e))} // what lies beneath are the ways in which it is so
	}
	if len(e.Causes) == 0 {
		return []string{located(e, message(e))}
	}
	var found []string
	for _, cause := range e.Causes {
		found = append(found, collect(cause)...)
	}
	return found
}

// alternatives says for each branch why it does not fit, four branches at most and two reasons of each: a model needs
// to know which branch it was closest to.
func alternatives(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		return message(e)
	}
	var why []string
	for i, cause := range e.Causes {
		if i == shownAlternatives {
			why = append(why, fmt.Sprintf("(%d more)", len(e.Causes)-i))
			break
		}
		found := collect(cause)
		why = append(why, strings.Join(found[:min(2, len(found))], ", "))
	}
	return "fits none of the alternatives: " + strings.Join(slices.Compact(why), ", or ")
}

// located begins a message with the JSON pointer into the value; the whole of it is (root). Both have hidden characters
// made visible and a limit, since names of members are the sender's or the holder's. The path has 200 bytes at most,
// the message 400.
func located(e *jsonschema.ValidationError, text string) string {
	path := ""
	for _, name := range e.InstanceLocation {
		path += "/" + pointerText.Replace(name)
	}
	path = schemas.Clip(schemas.Visible(cmp.Or(path, "(root)")), shownBytes)
	return path + ": " + schemas.Clip(schemas.Visible(text), 2*shownBytes)
}

// message says in words what one violation is. Most words are those of the library; the others are where its own would
// say nothing to a model.
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

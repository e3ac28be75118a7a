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

// violationTexts returns one text for each violation, sorted by path: at most ten texts, and then a count of the
// others. A violation that several subschemas find is listed once.
func violationTexts(e *jsonschema.ValidationError) []string {
	found := violationMessages(e)
	slices.Sort(found)
	return firstTextsAndCount(slices.Compact(found), maxViolations)
}

// violationMessages returns the messages of the innermost violations, because an outer violation only says that an
// inner value is wrong. For a choice such as anyOf, it returns the outer message, because the output has to meet only
// one of the branches.
func violationMessages(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return []string{messageWithPath(e, alternativesText(e))}
	case *kind.PropertyNames, *kind.Contains, *kind.MinContains:
		return []string{messageWithPath(e, violationMessage(e))} // the causes below are only its variants
	}
	if len(e.Causes) == 0 {
		return []string{messageWithPath(e, violationMessage(e))}
	}
	return slices.Concat(schemas.Map(e.Causes, violationMessages)...)
}

// alternativesText says why a value fits no branch of a choice such as anyOf. It has at most four branches, each with
// at most two reasons. From the reasons, a model sees which branch its output was closest to.
func alternativesText(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		return violationMessage(e)
	}
	var why []string
	for i, cause := range e.Causes {
		if i == maxAlternatives {
			why = append(why, fmt.Sprintf("(%d more)", len(e.Causes)-i))
			break
		}
		found := violationMessages(cause)
		why = append(why, strings.Join(found[:min(2, len(found))], ", "))
	}
	return "fits none of the alternatives: " + strings.Join(slices.Compact(why), ", or ")
}

// messageWithPath returns a message with the JSON pointer of the wrong value before it; (root) stands for the whole
// output. The pointer has at most 200 bytes and the message at most 400 bytes. Hidden characters are made visible,
// because pointer and message may contain names that an agent chose.
func messageWithPath(e *jsonschema.ValidationError, text string) string {
	path := ""
	for _, name := range e.InstanceLocation {
		path += "/" + pointerEscaper.Replace(name)
	}
	path = schemas.Clip(schemas.EscapeHidden(cmp.Or(path, "(root)")), maxTextBytes)
	return path + ": " + schemas.Clip(schemas.EscapeHidden(text), 2*maxTextBytes)
}

// violationMessage describes one violation in words. Most texts come from the library. Texts that would not help a
// model are replaced.
func violationMessage(e *jsonschema.ValidationError) string {
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

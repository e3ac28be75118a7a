package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"handoff/schemas"
)

// publishedSchema gives the schema of a message as clients are sent it.
func publishedSchema(c *comments, t reflect.Type) *jsonschema.Schema {
	s := reflectSchema(newReflector(c.publishedComment), t)
	if isInput(t) {
		publishInput(s)
	} else {
		publishOutput(s)
	}
	return s
}

// publishInput brings the schema of arguments into the form that clients are sent.
func publishInput(s *jsonschema.Schema) {
	walk(s, keepSendable)
	walk(s, loosen)
	walk(s, keepStatedLimits)
	s.Properties.Set("agent", &jsonschema.Schema{Type: "string", Description: "Act as"})
	walk(s, stripNotes)
}

// publishOutput does the same for a result. Results stay open, nothing in them is required and no choices
// are given, because clients check them and a new field or word must break nobody.
func publishOutput(s *jsonschema.Schema) {
	walk(s, loosen)
	s.Properties.Set("inbox", bareSchema(reflect.TypeFor[schemas.Inbox]()))
	s.Properties.Set("next", &jsonschema.Schema{
		Type: "array", Description: "What to do next", Items: bareSchema(reflect.TypeFor[schemas.Advice]()),
	})
	walk(s, stripNotes)
	walk(s, openResult)
}

// keepSendable leaves only the fields that a caller sends.
func keepSendable(s *jsonschema.Schema) {
	s.Properties.Filter(func(name string, field *jsonschema.Schema) bool {
		if isUnsent(field) {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		return !isUnsent(field)
	})
}

// loosen reduces free fields, and maps of any kind, to free objects.
func loosen(s *jsonschema.Schema) {
	mapped := s.Type == "object" && s.Properties.Len() == 0 && s.AdditionalProperties != jsonschema.FalseSchema
	switch {
	case hasNote(s, "x-free") && s.Type == "array":
		s.Description, s.Items = withForm(s, s.Description), freeObject()
	case hasNote(s, "x-free"), hasNote(s, "x-any"), mapped:
		description := withForm(s, s.Description)
		*s = *freeObject()
		s.Description = description
	}
}

// keepStatedLimits keeps a limit only where the description says it too: some clients strip these keywords, and a
// limit that nobody runs into is not worth its tokens. All are enforced, and explained when it matters.
func keepStatedLimits(s *jsonschema.Schema) {
	numbers := strings.FieldsFunc(s.Description, func(r rune) bool { return r < '0' || r > '9' })
	said := func(limit string) bool { return slices.Contains(numbers, limit) }
	for _, limit := range []**uint64{&s.MinLength, &s.MaxLength, &s.MinItems, &s.MaxItems} {
		if *limit != nil && !said(strconv.FormatUint(**limit, 10)) {
			*limit = nil
		}
	}
	for _, limit := range []*json.Number{&s.Minimum, &s.Maximum} {
		if !said(limit.String()) {
			*limit = ""
		}
	}
}

// stripNotes removes our notes and what some clients do not know.
func stripNotes(s *jsonschema.Schema) {
	s.Format = ""
	for note := range s.Extras {
		if strings.HasPrefix(note, "x-") {
			delete(s.Extras, note)
		}
	}
}

func openResult(s *jsonschema.Schema) {
	s.Required, s.Enum = nil, nil
	if s.Properties != nil && s.Properties.Len() > 0 {
		s.AdditionalProperties = nil
	}
}

// bareSchema gives the schema of a type without descriptions.
func bareSchema(t reflect.Type) *jsonschema.Schema { return reflectSchema(newReflector(nil), t) }

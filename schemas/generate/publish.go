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

// published gives the schema of a message as clients are sent it.
func published(c *comments, t reflect.Type) *jsonschema.Schema {
	s := reflected(inlining(c.published), t)
	if isInput(t) {
		publishInput(s)
	} else {
		publishOutput(s)
	}
	return s
}

// publishInput brings the schema of arguments into the form that clients are sent.
func publishInput(s *jsonschema.Schema) {
	walk(s, sendable)
	walk(s, loosen)
	walk(s, restated)
	s.Properties.Set("agent", &jsonschema.Schema{Type: "string", Description: "Act as"})
	walk(s, plain)
}

// publishOutput does the same for a result. Results stay open, nothing in them is required and no choices
// are given, because clients check them and a new field or word must break nobody.
func publishOutput(s *jsonschema.Schema) {
	walk(s, loosen)
	s.Properties.Set("inbox", bare(reflect.TypeFor[schemas.Inbox]()))
	s.Properties.Set("next", &jsonschema.Schema{
		Type: "array", Description: "What to do next", Items: bare(reflect.TypeFor[schemas.Advice]()),
	})
	walk(s, plain)
	walk(s, open)
}

// sendable leaves only the fields that a caller sends.
func sendable(s *jsonschema.Schema) {
	s.Properties.Filter(func(name string, field *jsonschema.Schema) bool {
		if unsent(field) {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		return !unsent(field)
	})
}

// loosen reduces free fields, and maps of any kind, to free objects.
func loosen(s *jsonschema.Schema) {
	mapped := s.Type == "object" && s.Properties.Len() == 0 && s.AdditionalProperties != jsonschema.FalseSchema
	switch {
	case noted(s, "x-free") && s.Type == "array":
		s.Description, s.Items = formed(s, s.Description), free()
	case noted(s, "x-free"), noted(s, "x-any"), mapped:
		description := formed(s, s.Description)
		*s = *free()
		s.Description = description
	}
}

// restated keeps a limit only where the description says it too: some clients strip these keywords, and a
// limit that nobody runs into is not worth its tokens. All are enforced, and explained when it matters.
func restated(s *jsonschema.Schema) {
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

// plain removes our notes and what some clients do not know.
func plain(s *jsonschema.Schema) {
	s.Format = ""
	for note := range s.Extras {
		if strings.HasPrefix(note, "x-") {
			delete(s.Extras, note)
		}
	}
}

func open(s *jsonschema.Schema) {
	s.Required, s.Enum = nil, nil
	if s.Properties != nil && s.Properties.Len() > 0 {
		s.AdditionalProperties = nil
	}
}

// bare gives the schema of a type without descriptions.
func bare(t reflect.Type) *jsonschema.Schema { return reflected(inlining(nil), t) }

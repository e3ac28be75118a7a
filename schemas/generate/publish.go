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

// publishedSchema returns the schema of a message for clients.
func publishedSchema(c *typeComments, t reflect.Type) *jsonschema.Schema {
	s := reflectSchema(newReflector(c.publishedComment), t)
	if isInput(t) {
		publishInput(s)
	} else {
		publishOutput(s)
	}
	return s
}

// publishInput turns the schema of arguments into its published form.
func publishInput(s *jsonschema.Schema) {
	visitSchemas(s, keepSendable)
	visitSchemas(s, loosenFreeFields)
	visitSchemas(s, dropUndescribedLimits)
	s.Properties.Set("agent", &jsonschema.Schema{Type: "string", Description: "Act as"})
	visitSchemas(s, stripNotes)
}

// publishOutput turns the schema of a result into its published form, without required fields and lists of allowed
// values, and open for unknown fields. Clients check results against this schema. A field or value that a later version
// adds must not break a client.
func publishOutput(s *jsonschema.Schema) {
	visitSchemas(s, loosenFreeFields)
	s.Properties.Set("inbox", bareSchema(reflect.TypeFor[schemas.InboxCounts]()))
	s.Properties.Set("next", &jsonschema.Schema{
		Type: "array", Description: "What to do next", Items: bareSchema(reflect.TypeFor[schemas.Advice]()),
	})
	visitSchemas(s, stripNotes)
	visitSchemas(s, allowUnknownFields)
}

// keepSendable keeps only the fields that a caller sends.
func keepSendable(s *jsonschema.Schema) {
	s.Properties.Filter(func(name string, field *jsonschema.Schema) bool {
		if isUnsent(field) {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		return !isUnsent(field)
	})
}

// loosenFreeFields replaces the schema of an x-free field, of an x-any field and of a map by the schema of a free
// object.
func loosenFreeFields(s *jsonschema.Schema) {
	mapped := s.Type == "object" && s.Properties.Len() == 0 && s.AdditionalProperties != jsonschema.FalseSchema
	switch {
	case hasNote(s, "x-free") && s.Type == "array":
		s.Description, s.Items = withForm(s, s.Description), freeObjectSchema()
	case hasNote(s, "x-free"), hasNote(s, "x-any"), mapped:
		description := withForm(s, s.Description)
		*s = *freeObjectSchema()
		s.Description = description
	}
}

// dropUndescribedLimits removes each limit (such as maxLength) whose number is not in the description of its field.
// Some clients drop limits, so an important limit is also in the description. Other limits are not worth their tokens.
// The decoder checks all limits in any case.
func dropUndescribedLimits(s *jsonschema.Schema) {
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

// stripNotes removes the x- keywords, and the keyword format, which some clients do not know.
func stripNotes(s *jsonschema.Schema) {
	s.Format = ""
	for note := range s.Extras {
		if strings.HasPrefix(note, "x-") {
			delete(s.Extras, note)
		}
	}
}

func allowUnknownFields(s *jsonschema.Schema) {
	s.Required, s.Enum = nil, nil
	if s.Properties != nil && s.Properties.Len() > 0 {
		s.AdditionalProperties = nil
	}
}

// bareSchema returns the schema of a type without descriptions.
func bareSchema(t reflect.Type) *jsonschema.Schema { return reflectSchema(newReflector(nil), t) }

package main

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"handoff/schemas"
)

// formOfSchema describes a value in the notation that models know from programming: {path: text, lines: text} for an
// object, text[] for a list, low|high for a choice. It leaves out fields that a caller does not send.
func formOfSchema(s *jsonschema.Schema) string {
	if own, ok := s.Extras["x-form"].(string); ok {
		return own
	}
	switch {
	case len(s.Enum) > 0:
		return strings.Join(schemas.FormatAll(s.Enum), "|")
	case s.Type == "array":
		return formOfSchema(s.Items) + "[]"
	case s.Type == "object":
		return formOfObject(s)
	case hasNote(s, "x-any"):
		return "any JSON"
	}
	return map[string]string{"string": "text", "boolean": "bool", "integer": "number", "number": "number"}[s.Type]
}

func formOfObject(s *jsonschema.Schema) string {
	var fields []string
	for name, field := range s.Properties.FromOldest() {
		if !isUnsent(field) {
			fields = append(fields, name+": "+formOfSchema(field))
		}
	}
	if rest := s.AdditionalProperties; len(fields) == 0 && rest != nil && rest.Type != "" {
		fields = []string{"name: " + formOfSchema(rest)}
	}
	if len(fields) == 0 {
		return "object"
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// formOf returns the form of a type as [formOfSchema] writes it, or "" if the type is no object or is a whole message.
func formOf(t reflect.Type) string {
	if t.Kind() != reflect.Struct || isInput(t) || strings.HasSuffix(t.Name(), "Out") {
		return ""
	}
	return formOfSchema(reflectSchema(newReflector(nil), t))
}

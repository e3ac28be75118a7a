package main

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"handoff/schemas"
)

// form writes what a value has to look like in the notation that models know from programs: {path: text, lines: text}
// for an object, text[] for a list, low|high for a choice. Fields that a caller does not send are left out.
func form(s *jsonschema.Schema) string {
	if own, ok := s.Extras["x-form"].(string); ok {
		return own
	}
	switch {
	case len(s.Enum) > 0:
		return strings.Join(schemas.Texts(s.Enum), "|")
	case s.Type == "array":
		return form(s.Items) + "[]"
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
			fields = append(fields, name+": "+form(field))
		}
	}
	if rest := s.AdditionalProperties; len(fields) == 0 && rest != nil && rest.Type != "" {
		fields = []string{"name: " + form(rest)}
	}
	if len(fields) == 0 {
		return "object"
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// formOf is the form of a type, "" for one that is no object.
func formOf(t reflect.Type) string {
	if t.Kind() != reflect.Struct || isInput(t) || strings.HasSuffix(t.Name(), "Out") {
		return ""
	}
	return form(bareSchema(t))
}

// withForm says the form of a free field before what its comment says, unless the comment gives the form itself.
func withForm(s *jsonschema.Schema, comment string) string {
	switch {
	case strings.HasPrefix(comment, "{"):
		return comment
	case comment == "":
		return form(s)
	}
	return form(s) + ". " + comment
}

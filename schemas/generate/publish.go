package main

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"handoff/schemas"
)

// publishedSchema returns the schema of a message for clients.
func publishedSchema(c *typeComments, t reflect.Type) *jsonschema.Schema {
	s := reflectSchema(newReflector(c.publishedComment), t)
	if isInput(t) {
		publishInput(s, t.Name())
	} else {
		publishOutput(s)
	}
	visitSchemas(s, stripNotes)
	return s
}

// publishInput turns the schema of arguments into its published form.
func publishInput(s *jsonschema.Schema, name string) {
	s.Properties.Set("agent", &jsonschema.Schema{Type: "string", Description: "Act as"})
	showFields(s, name)
	visitSchemas(s, dropLimits)
}

//go:embed shown.txt
var shownText string

// shownFields has the rows of shown.txt, which explains them, by path.
var shownFields = func() map[string][]string {
	fields := map[string][]string{}
	for _, row := range schemas.TableRows(shownText, 2) {
		fields[row[0]] = strings.Fields(row[1])
	}
	return fields
}()

// showFields keeps the fields of the object at a path that shown.txt shows, and closes the object for other fields
// unless its row is open. It does the same with all objects in it. The description of an object explains its fields
// too. It panics if a type lacks a field of its row.
func showFields(s *jsonschema.Schema, path string) {
	if s.Type == "array" {
		showFields(s.Items, path)
	}
	names := shownFields[path]
	switch {
	case s.Extras["x-form"] == "number or text":
		s.Type, s.AnyOf = "", []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}
		return
	case s.Type != "object" || len(names) == 0:
		freeIfObject(s)
		return
	}
	of, rest, explained := s.Properties, s.AdditionalProperties, s.Description != ""
	s.Properties, s.AdditionalProperties = jsonschema.NewProperties(), jsonschema.FalseSchema
	if names[len(names)-1] == "…" {
		names, s.AdditionalProperties = names[:len(names)-1], nil
	}
	for _, name := range names {
		field, named := of.Get(name)
		switch {
		case !named && rest.Type == "":
			panic(path + " has no field " + name)
		case !named: // of a map
			field = &jsonschema.Schema{Type: rest.Type}
		}
		if showFields(field, path+"."+name); explained {
			field.Description = ""
		}
		s.Properties.Set(name, field)
	}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return !slices.Contains(names, name) })
}

// publishOutput turns the schema of a result into its published form: the fields of the result and their types, without
// required fields and lists of allowed values, and open for unknown fields. Clients check results against this schema.
// A field or value that a later version adds must not break a client.
func publishOutput(s *jsonschema.Schema) {
	s.Properties.Set("inbox", &jsonschema.Schema{Type: "object"})
	s.Properties.Set("next", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}})
	for field := range s.Properties.ValuesFromOldest() {
		freeIfObject(field)
		if field.Items != nil {
			freeIfObject(field.Items)
		}
		field.Enum, field.Required = nil, nil
	}
	s.Required, s.AdditionalProperties = nil, nil
}

// freeIfObject replaces the schema of an object by the schema of a free object, and the schema of any JSON value by one
// of an object or a text.
func freeIfObject(s *jsonschema.Schema) {
	object := &jsonschema.Schema{Type: "object"}
	switch {
	case hasNote(s, "x-any"):
		*s = jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{object, {Type: "string"}}}
	case s.Type == "object":
		object.Description = s.Description
		*s = *object
	}
}

// dropLimits removes limits such as maxLength. Some clients drop them anyhow, so an important limit is in the description
// of its field. The decoder checks all limits, and reads a wait that is too long as the longest one.
func dropLimits(s *jsonschema.Schema) {
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.Minimum, s.Maximum = nil, nil, nil, nil, "", ""
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

package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"handoff/schemas"
)

// newReflector returns a reflector that writes the whole schema of a type wherever the type is used, instead of a
// reference. The function explain returns the description of a field, or of a type if field is empty.
func newReflector(explain func(t reflect.Type, field string) string) *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: schemaOfSpecialType, LookupComment: explain,
	}
}

// A schemaLibrary makes the full schemas: one file for each type, with references to the files of other types.
type schemaLibrary struct {
	*jsonschema.Reflector
	comments *typeComments
	types    []reflect.Type // types to reflect, in the order of discovery
}

// newLibrary returns a library of the types and of all types that they refer to.
func newLibrary(c *typeComments, types ...reflect.Type) *schemaLibrary {
	l := &schemaLibrary{Reflector: newReflector(c.description), comments: c, types: types}
	l.Lookup = l.referTo
	return l
}

// referTo returns the file name for a type, and adds the type to the library. It returns "" for a type that gets no
// file.
func (l *schemaLibrary) referTo(t reflect.Type) jsonschema.ID {
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[schemas.Handoff]().PkgPath() {
		return jsonschema.EmptyID
	}
	if !slices.Contains(l.types, t) {
		l.types = append(l.types, t)
	}
	return jsonschema.ID(t.Name() + ".json")
}

// reflectSchema returns the full schema of a type. The reflector writes no description for the items of a list, so
// reflectSchema adds the type's comment next to the reference in each list.
func (l *schemaLibrary) reflectSchema(t reflect.Type) *jsonschema.Schema {
	s := reflectSchema(l.Reflector, t)
	if f := formOf(t); f != "" {
		s.Extras = map[string]any{"x-form": f}
	}
	visitSchemas(s, func(s *jsonschema.Schema) {
		if s.Items != nil && s.Items.Ref != "" {
			s.Items.Description = l.comments.types[strings.TrimSuffix(s.Items.Ref, ".json")]
		}
	})
	return s
}

func reflectSchema(r *jsonschema.Reflector, t reflect.Type) *jsonschema.Schema {
	s := r.ReflectFromType(t)
	s.Version, s.ID = "", ""
	visitSchemas(s, dropRepeatedChoices)
	visitSchemas(s, resolveNotes)
	if isInput(t) {
		moveRequiredFirst(s)
	}
	return s
}

// moveRequiredFirst moves the required arguments to the front. Without it they could come late, because some are fields
// of embedded types.
func moveRequiredFirst(s *jsonschema.Schema) {
	for _, name := range slices.Backward(s.Required) {
		if err := s.Properties.MoveToFront(name); err != nil {
			panic(err) // each required name is a property
		}
	}
}

// choicesNote is the keyword that holds the allowed values of a type until the tags of the field have been read,
// because a tag may allow fewer values than the type.
const choicesNote = "x-words"

// schemaOfSpecialType returns the schema of a type whose JSON form does not follow from its Go kind, such as a time.
// For other types it returns nil.
func schemaOfSpecialType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[schemas.ID](), reflect.TypeFor[schemas.NoticeID]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any]():
		// This is the one way to write an object with any fields that all clients accept.
		return &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.TrueSchema}
	}
	if all := choicesByType[t]; all != nil {
		return &jsonschema.Schema{Type: "string", Extras: map[string]any{choicesNote: all}}
	}
	return nil
}

// choicesByType has the allowed values of each type that allows only some values.
var choicesByType = map[reflect.Type][]any{
	reflect.TypeFor[schemas.Status]():              asStrings(schemas.Statuses),
	reflect.TypeFor[schemas.StatusFilter]():        asStrings(schemas.StatusFilters),
	reflect.TypeFor[schemas.Priority]():            asStrings(schemas.Priorities),
	reflect.TypeFor[schemas.Outcome]():             asStrings(schemas.Outcomes),
	reflect.TypeFor[schemas.FailureContinuation](): asStrings(schemas.FailureContinuations),
	reflect.TypeFor[schemas.View]():                asStrings(schemas.Views),
	reflect.TypeFor[schemas.SessionEvent]():        asStrings(schemas.SessionEvents),
	reflect.TypeFor[schemas.Action]():              asStrings(schemas.Actions),
}

func asStrings[T ~string](values []T) []any {
	return schemas.Map(values, func(v T) any { return string(v) })
}

// dropRepeatedChoices removes the lists of allowed values in the metadata of a handoff. The arguments of a send have
// the same fields, with these lists, and only arguments are checked.
func dropRepeatedChoices(s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	if metadata, ok := s.Properties.Get("metadata"); ok {
		visitSchemas(metadata, func(term *jsonschema.Schema) { term.Enum = nil })
	}
}

// resolveNotes applies the x- keywords whose effect depends on all tags of a field, after the whole type was read.
func resolveNotes(s *jsonschema.Schema) {
	if all, ok := s.Extras[choicesNote].([]any); ok {
		delete(s.Extras, choicesNote)
		if len(s.Enum) == 0 {
			s.Enum = all
		}
	}
	switch {
	case hasNote(s, "x-any"):
		s.Type, s.Properties, s.AdditionalProperties = "", nil, nil
	case hasNote(s, "x-optional") && s.Ref == "":
		s.Required = nil
		delete(s.Extras, "x-optional")
	case s.Type == "object" && s.Properties == nil:
		s.Properties = jsonschema.NewProperties()
	}
}

// isUnsent reports whether callers should not send a field.
func isUnsent(s *jsonschema.Schema) bool { return hasNote(s, "x-hidden") || hasNote(s, "x-filled") }

func hasNote(s *jsonschema.Schema, note string) bool { return s.Extras[note] == true }

// visitSchemas visits a schema and all schemas below it, parents first.
func visitSchemas(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	visit(s)
	if s.Items != nil {
		visitSchemas(s.Items, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Type != "" {
		visitSchemas(s.AdditionalProperties, visit)
	}
	for property := range s.Properties.ValuesFromOldest() {
		visitSchemas(property, visit)
	}
}

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

// bare gives a reflector that takes descriptions from tags only.
func bare() *jsonschema.Reflector {
	return &jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: mapped}
}

// commented gives one that falls back to the comments of the fields.
func commented() (*jsonschema.Reflector, error) {
	r := bare()
	if err := r.AddGoComments("handoff/schemas", "."); err != nil {
		return nil, err
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	return r, nil
}

func reflected(r *jsonschema.Reflector, t reflect.Type) *jsonschema.Schema {
	s := r.ReflectFromType(t)
	s.Version = ""
	walk(s, settle)
	if isInput(t) {
		requiredFirst(s)
	}
	return s
}

// requiredFirst puts the arguments that a caller must give before the others, in which types they may stand.
func requiredFirst(s *jsonschema.Schema) {
	for _, name := range slices.Backward(s.Required) {
		if err := s.Properties.MoveToFront(name); err != nil {
			panic(err) // what is required is a property
		}
	}
}

// words holds the choices of a type until tags, which may narrow them, have been read.
const words = "x-words"

// mapped says how types are written whose Go kind does not tell.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[schemas.ID](), reflect.TypeFor[schemas.NoticeID]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[time.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any]():
		return free()
	case reflect.TypeFor[schemas.Status]():
		return choice(schemas.Statuses...)
	case reflect.TypeFor[schemas.Priority]():
		return choice(schemas.Priorities...)
	case reflect.TypeFor[schemas.Outcome]():
		return choice(schemas.Success, schemas.Partial, schemas.OutcomeFailed, schemas.OutcomeRejected)
	case reflect.TypeFor[schemas.Then]():
		return choice(schemas.ThenRollback, schemas.ThenRetry, schemas.ThenEscalate, schemas.ThenStop)
	case reflect.TypeFor[schemas.Action]():
		return choice(schemas.ActProgress, schemas.ActAsk, schemas.ActAnswer, schemas.ActRelease, schemas.ActAmend,
			schemas.ActCancel, schemas.ActRetry, schemas.ActReturn, schemas.ActApprove, schemas.ActRefuse)
	}
	return nil
}

// free is an object of which nothing is said. All clients take it in exactly this form.
func free() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.TrueSchema,
	}
}

func choice[T ~string](values ...T) *jsonschema.Schema {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return &jsonschema.Schema{Type: "string", Extras: map[string]any{words: all}}
}

// settle applies what could not be known while the type was read.
func settle(s *jsonschema.Schema) {
	if all, ok := s.Extras[words].([]any); ok {
		delete(s.Extras, words)
		if len(s.Enum) == 0 {
			s.Enum = all
		}
	}
	switch {
	case noted(s, "x-any"):
		s.Type, s.Properties, s.AdditionalProperties = "", nil, nil
	case noted(s, "x-optional"):
		s.Required = nil
		delete(s.Extras, "x-optional")
	case s.Type == "object" && s.Properties == nil:
		s.Properties = jsonschema.NewProperties()
	}
}

func noted(s *jsonschema.Schema, note string) bool { return s.Extras[note] == true }

// walk visits a schema and all below it, parents first.
func walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	visit(s)
	if s.Items != nil {
		walk(s.Items, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Type != "" {
		walk(s.AdditionalProperties, visit)
	}
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		walk(p.Value, visit)
	}
}

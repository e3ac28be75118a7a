package respell

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// A shape is what is known about a value: the fields that it has by our types, and those that other protocols give
// it. A shape without fields is a value that is not ours to look into, such as a text or the free maps data, results
// and state.
type shape struct {
	fields  map[string]*shape
	opens   string // the brackets with which it may begin when it came as JSON text
	foreign bool   // an object of other protocols: it goes when it is empty
	raw     bool   // any JSON value, also null
	ours    bool   // a field that no caller is told of
}

// shapeOf gives the shape of the values of a type. The shape of a list is that of its rows.
func shapeOf(t reflect.Type) *shape {
	s := &shape{}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		s.raw, s.opens = true, "{"
	case t == reflect.TypeFor[time.Time]():
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem())
	case t.Kind() == reflect.Slice:
		s = shapeOf(t.Elem())
		s.opens = "[" + s.opens
	case t.Kind() == reflect.Map:
		s.opens = "{"
	case t.Kind() == reflect.Struct:
		s.opens, s.fields = "{", map[string]*shape{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			s.fields[name] = shapeOf(f.Type)
			extras := f.Tag.Get("jsonschema_extras")
			if strings.Contains(extras, "x-any") {
				s.fields[name].opens = "" // text is a value of its own there
			}
			s.fields[name].ours = strings.Contains(extras, "x-hidden") || strings.Contains(extras, "x-filled")
		}
	}
	return s
}

// lists tells whether the values of the shape are lists.
func (s *shape) lists() bool { return strings.HasPrefix(s.opens, "[") }

// at finds the shape at a dotted path, or nil.
func (s *shape) at(path string) *shape {
	for name := range strings.SplitSeq(path, ".") {
		if s = s.fields[name]; s == nil {
			return nil
		}
	}
	return s
}

// learn adds the foreign side of a row. The foreign field has the shape of the argument that it becomes, so that
// the names inside it are renamed before its value is read.
func (s *shape) learn(row alias) {
	names := strings.Split(row.from, ".")
	leaf := s.at(row.to)
	if leaf == nil {
		leaf = &shape{}
	}
	for i, name := range names {
		if s.fields == nil {
			s.fields = map[string]*shape{}
		}
		if s.fields[name] == nil {
			s.fields[name] = leaf
			if i < len(names)-1 {
				s.fields[name] = &shape{foreign: true, opens: "{"}
			}
		}
		s = s.fields[name]
	}
}

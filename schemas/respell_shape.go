package schemas

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A shape is what is known about a value: which fields it has by the canonical types, and which ones other
// protocols give it. A shape without fields is a value that is not ours to look into, such as a text or the
// free maps data, results and state.
type shape struct {
	fields  map[string]*shape
	opens   string // the brackets with which it may begin when it came as JSON text
	foreign bool   // an object of other protocols: it goes when it is empty
	raw     bool   // any JSON value, also null
}

// shapeOf reads the fields of a type and of what it holds. A list has the shape of its rows.
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
			if strings.Contains(f.Tag.Get("jsonschema_extras"), "x-any") {
				s.fields[name].opens = "" // text is a value of its own there
			}
		}
	}
	return s
}

// at finds the shape at a dotted path, or nil.
func (s *shape) at(path string) *shape {
	for name := range strings.SplitSeq(path, ".") {
		if s = s.fields[name]; s == nil {
			return nil
		}
	}
	return s
}

// learn adds the foreign side of a spelling. It has the shape of what it becomes, so that names inside it
// are respelled on the way and not after.
func (s *shape) learn(row spelling) {
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

// rename brings the known names within a value into snake_case and drops known fields that are null, and
// objects of other protocols that are empty.
func (s *shape) rename(v any, at string) error {
	if list, ok := v.([]any); ok {
		for i, e := range list {
			e = unwrapJSON(e, strings.TrimPrefix(s.opens, "["))
			list[i] = e
			if err := s.rename(e, at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	}
	object, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := s.renameField(object, key, at); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) renameField(object map[string]any, key, at string) error {
	name := key
	if s.fields[key] == nil {
		name = snake(key)
	}
	field := s.fields[name]
	v, there := object[key]
	if field == nil || !there {
		return nil
	}
	if name != key {
		have := object[name]
		if !isEmpty(have) && !isEmpty(v) && !reflect.DeepEqual(have, v) {
			return Invalidf(fieldPath(at, key), "%s and %s say different things", fieldPath(at, key), fieldPath(at, name)).
				WithHint("Give only %s.", fieldPath(at, name))
		}
		delete(object, key)
		if isEmpty(v) {
			v = have
		}
		object[name] = v
	}
	v = unwrapJSON(v, field.opens)
	object[name] = v
	if err := field.rename(v, fieldPath(at, name)); err != nil {
		return err
	}
	inside, isObject := v.(map[string]any)
	if v == nil && !field.raw || isObject && field.foreign && len(inside) == 0 {
		delete(object, name)
	}
	return nil
}

func fieldPath(at, name string) string {
	if at == "" {
		return name
	}
	return strings.TrimSuffix(at, ".") + "." + name
}

// snake writes camelCase as snake_case: timeoutMs as timeout_ms, contextURL as context_url.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c < 'A' || 'Z' < c {
			b.WriteByte(c)
			continue
		}
		afterWord := i > 0 && lowerOrDigit(name[i-1])
		endsAcronym := i > 0 && name[i-1] != '_' && i+1 < len(name) && lowerOrDigit(name[i+1])
		if afterWord || endsAcronym {
			b.WriteByte('_')
		}
		b.WriteByte(c - 'A' + 'a')
	}
	return b.String()
}

func lowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

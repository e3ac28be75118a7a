package respell

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/schemas"
)

// A shape lists the known fields of a value: the fields of our Go type, and the fields that other protocols add. A
// shape without fields stands for a value that respell does not look into: a text, or one of the maps data, results and
// state, which may have any fields.
type shape struct {
	fields      map[string]*shape
	brackets    string // the brackets that may begin it when it came as JSON text
	foreign     bool   // an object of other protocols: it is removed when empty
	raw         bool   // any JSON value, also null
	unpublished bool   // a field that is not published to callers
	required    bool   // a field without which its object is refused
}

// shapeOf returns the shape of a type. For a list it returns the shape of the items.
func shapeOf(t reflect.Type) *shape {
	s := &shape{}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		s.raw, s.brackets = true, "{"
	case t == reflect.TypeFor[time.Time]():
	case t.Kind() == reflect.Pointer:
		return shapeOf(t.Elem())
	case t.Kind() == reflect.Slice:
		s = shapeOf(t.Elem())
		s.brackets = "[" + s.brackets
	case t.Kind() == reflect.Map:
		s.brackets = "{"
	case t.Kind() == reflect.Struct:
		s.brackets, s.fields = "{", map[string]*shape{}
		for name, f := range schemas.Fields(t) {
			s.fields[name] = shapeOf(f.Type)
			extras := f.Tag.Get("jsonschema_extras")
			if strings.Contains(extras, "x-any") {
				s.fields[name].brackets = "" // text is a value of its own there
			}
			s.fields[name].required = !strings.Contains(f.Tag.Get("json"), ",omit")
			s.fields[name].unpublished = strings.Contains(extras, "x-hidden") || strings.Contains(extras, "x-filled")
		}
	}
	return s
}

// isList reports whether the values of the shape are lists.
func (s *shape) isList() bool { return strings.HasPrefix(s.brackets, "[") }

// fieldAt returns the shape at a dotted path, or nil.
func (s *shape) fieldAt(path string) *shape {
	for name := range strings.SplitSeq(path, ".") {
		if s = s.fields[name]; s == nil {
			return nil
		}
	}
	return s
}

// addForeignField adds the foreign field of a row to the shape. The field gets the shape of the argument that it
// becomes, so that the names inside its value are converted before the row reads the value.
func (s *shape) addForeignField(row aliasRow) {
	names := strings.Split(row.from, ".")
	leaf := *cmp.Or(s.fieldAt(row.to), &shape{})
	leaf.fields = maps.Clone(leaf.fields) // other rows may add fields to it
	for i, name := range names {
		if s.fields == nil {
			s.fields = map[string]*shape{}
		}
		if s.fields[name] == nil {
			s.fields[name] = &leaf
			if i < len(names)-1 {
				s.fields[name] = &shape{foreign: true, brackets: "{"}
			}
		}
		s = s.fields[name]
	}
}

// renameFields changes the names of known fields inside a value to snake_case, and decodes JSON texts that should be
// objects or lists. It drops known fields that are null, and objects of other protocols that are empty. If two
// spellings of one field have different values, it returns an error that names both.
func (s *shape) renameFields(v any, at string) error {
	if list, ok := v.([]any); ok {
		for i, e := range list {
			e = unwrapJSON(e, strings.TrimPrefix(s.brackets, "["))
			list[i] = e
			if err := s.renameFields(e, at+"["+strconv.Itoa(i)+"]"); err != nil {
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
	name, field := s.findField(key)
	if _, there := object[key]; field == nil || !there {
		return nil
	}
	if name != key {
		if err := renameKey(object, key, name, at); err != nil {
			return err
		}
	}
	v := unwrapJSON(object[name], field.brackets)
	object[name] = v
	if err := field.renameFields(v, fieldPath(at, name)); err != nil {
		return err
	}
	if field.shouldDrop(v, at) {
		delete(object, name)
	}
	return nil
}

// findField returns the field of a key and its name. The key may be the name itself or the name in camelCase. For an
// unknown key the field is nil.
func (s *shape) findField(key string) (name string, field *shape) {
	if field = s.fields[key]; field != nil {
		return key, field
	}
	name = schemas.SnakeCase(key)
	return name, s.fields[name]
}

// renameKey moves the value of a key to the name of its field. If the object has both and one value is empty, the value
// that is not empty stays. If both have different values, renameKey returns an error.
func renameKey(object map[string]any, key, name, at string) error {
	v, have := object[key], object[name]
	if !isEmpty(have) && !isEmpty(v) && !reflect.DeepEqual(have, v) {
		key, name = fieldPath(at, key), fieldPath(at, name)
		return schemas.Invalidf(key, "%s and %s say different things", key, name).WithHint("Give only %s.", name)
	}
	delete(object, key)
	if isEmpty(v) {
		v = have
	}
	object[name] = v
	return nil
}

// shouldDrop reports whether renameField drops a field of this shape, because its value is null or an empty object of
// another protocol. Null stays in the changes of an amendment, where [listEmptyFields] finds it.
func (s *shape) shouldDrop(v any, at string) bool {
	inside, isObject := v.(map[string]any)
	return v == nil && !s.raw && !strings.HasPrefix(at, "changes") || isObject && s.foreign && len(inside) == 0
}

func fieldPath(at, name string) string {
	if at == "" {
		return name
	}
	return strings.TrimSuffix(at, ".") + "." + name
}

package respell

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"handoff/schemas"
)

// rename brings the known names within a value into snake_case and reads the JSON texts among the values. It drops
// known fields that are null, and objects of other protocols that are empty. The error names two spellings of one
// field that have different values.
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
	name, field := s.known(key)
	if _, there := object[key]; field == nil || !there {
		return nil
	}
	if name != key {
		if err := renameKey(object, key, name, at); err != nil {
			return err
		}
	}
	v := unwrapJSON(object[name], field.opens)
	object[name] = v
	if err := field.rename(v, fieldPath(at, name)); err != nil {
		return err
	}
	if field.saysNothing(v) {
		delete(object, name)
	}
	return nil
}

// known finds the field that a key names, as it is written or in snake_case; nil means that there is none.
func (s *shape) known(key string) (name string, field *shape) {
	if field = s.fields[key]; field != nil {
		return key, field
	}
	name = snake(key)
	return name, s.fields[name]
}

// renameKey moves the value of a key to the name that is meant. Of two values, the one that is not empty stays.
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

// saysNothing tells whether a field of this shape and value is dropped.
func (s *shape) saysNothing(v any) bool {
	inside, isObject := v.(map[string]any)
	return v == nil && !s.raw || isObject && s.foreign && len(inside) == 0
}

func fieldPath(at, name string) string {
	if at == "" {
		return name
	}
	return strings.TrimSuffix(at, ".") + "." + name
}

// snake writes a name in any spelling as snake_case: timeoutMs, Timeout-Ms and "TIMEOUT MS" as timeout_ms.
func snake(name string) string {
	var b strings.Builder
	name = strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(name))
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

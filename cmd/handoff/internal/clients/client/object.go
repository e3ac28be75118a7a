package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
)

// A Field is a key with its value. The value is a string, bool, int, []string or Object, or an []any of values of these
// types.
type Field struct {
	Key   string
	Value any
}

// An Object is a list of fields, in the order in which they are written.
type Object []Field

// HasKey reports whether there is a field with a key.
func (o Object) HasKey(key string) bool {
	return slices.ContainsFunc(o, func(f Field) bool { return f.Key == key })
}

// withField returns the object with one more field. If the value is empty, for example an Object without fields, it
// returns the object unchanged.
func (o Object) withField(key string, value any) Object {
	if v := reflect.ValueOf(value); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return o
	}
	return append(o, Field{key, value})
}

// MarshalJSON writes the fields in their order. It does not escape the characters <, > and &.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		errKey := encoder.Encode(f.Key)
		b.WriteByte(':')
		if err := errors.Join(errKey, encoder.Encode(f.Value)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

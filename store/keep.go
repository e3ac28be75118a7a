package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// decodeKeeping decodes into the struct that v points to, and returns the fields that the struct does not have.
// [encodeKeeping] writes them again, so that an older program drops nothing that a newer one wrote.
func decodeKeeping(b []byte, v any) (unknown map[string]json.RawMessage, err error) {
	strict := json.NewDecoder(bytes.NewReader(b))
	strict.DisallowUnknownFields()
	if err = strict.Decode(v); err == nil {
		return nil, nil // the usual case costs no more than this
	}
	if err = json.Unmarshal(b, v); err != nil {
		return nil, err
	}
	if err = json.Unmarshal(b, &unknown); err != nil {
		return nil, err
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(unknown, name)
	}
	return unknown, nil
}

// encodeKeeping encodes v together with the unknown fields.
func encodeKeeping(v any, unknown map[string]json.RawMessage) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || len(unknown) == 0 {
		return b, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, err
	}
	all := maps.Clone(unknown)
	maps.Copy(all, fields)
	return json.Marshal(all)
}

package schemas

import (
	"bytes"
	std "encoding/json"

	v2 "github.com/go-json-experiment/json"
	json "github.com/go-json-experiment/json/v1"
)

// Decode reads JSON into a value as encoding/json does, in about a third of its time. It uses the library that
// becomes encoding/json/v2 of the standard library in Go 1.27.
//
// Its errors are of the same kinds as those in encoding/json: for text that is not JSON, with the place, and for a
// value that does not fit v. After an error, v is in an unknown state.
func Decode(b []byte, v any) error { return json.Unmarshal(b, v) }

// DecodeKnown reads JSON as [Decode] does, and refuses a name that v has no field for.
func DecodeKnown(b []byte, v any) error {
	return v2.Unmarshal(b, v, json.DefaultOptionsV1(), v2.RejectUnknownMembers(true))
}

// Encode writes compact JSON without the escapes that make it safe within HTML, because models and people read it. It
// fails for a value that JSON cannot express.
func Encode(v any) (std.RawMessage, error) {
	var b bytes.Buffer
	e := std.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Convert copies a value into another type by way of its JSON. Fields that the other type lacks are lost.
func Convert(from, to any) error {
	b, err := std.Marshal(from)
	if err != nil {
		return err
	}
	return Decode(b, to)
}

package schemas

import (
	"bytes"
	std "encoding/json"

	v2 "github.com/go-json-experiment/json"
	json "github.com/go-json-experiment/json/v1"
)

// Decode reads JSON into a value as encoding/json does, in about a third of the time. It uses the library that will be
// encoding/json/v2 in the standard library of Go 1.27.
//
// It returns the same types of errors as encoding/json: a syntax error with its position in the text, or a type error
// if a value does not fit into v. After an error, v may be partly filled.
func Decode(b []byte, v any) error { return json.Unmarshal(b, v) }

// DecodeKnown reads JSON as [Decode] does, and also returns an error for a field that v does not have.
func DecodeKnown(b []byte, v any) error {
	return v2.Unmarshal(b, v, json.DefaultOptionsV1(), v2.RejectUnknownMembers(true))
}

// DecodeNumbers reads JSON as encoding/json does. A number in a value of any type becomes a json.Number, which keeps its
// digits.
func DecodeNumbers(b []byte, v any) error {
	d := std.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// Encode writes compact JSON. It does not escape the characters <, > and &, because models and people read the result.
// It fails for a value that JSON cannot express.
func Encode(v any) (std.RawMessage, error) {
	var b bytes.Buffer
	e := std.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Convert copies a value into a value of another type: it encodes from as JSON and decodes the JSON into to. Fields
// that the other type does not have are lost.
func Convert(from, to any) error {
	b, err := std.Marshal(from)
	if err != nil {
		return err
	}
	return Decode(b, to)
}

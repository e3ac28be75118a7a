package schemas

import (
	"bytes"
	std "encoding/json"

	v2 "github.com/go-json-experiment/json"
	json "github.com/go-json-experiment/json/v1"
)

// Decode reads JSON into a value with the meaning that encoding/json gives it, in about a third of its time. The library
// is the one that is encoding/json/v2 in the standard library from Go 1.27 on, where it takes the place of this one.
//
// Errors are those of encoding/json in kind: of a text that is no JSON, with the place, and of a value that v cannot
// hold. V is then in an unknown state.
func Decode(b []byte, v any) error { return json.Unmarshal(b, v) }

// DecodeKnown is [Decode], and refuses a name that v has no field for.
func DecodeKnown(b []byte, v any) error {
	return v2.Unmarshal(b, v, json.DefaultOptionsV1(), v2.RejectUnknownMembers(true))
}

// Encode writes compact JSON as it is, without the escapes that would make it safe within HTML: models and people read
// it. The error is that of a value that JSON has no form for.
func Encode(v any) (std.RawMessage, error) {
	var b bytes.Buffer
	e := std.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Convert brings a value into another type by way of its JSON. What the other type has no field for is lost.
func Convert(from, to any) error {
	b, err := std.Marshal(from)
	if err != nil {
		return err
	}
	return Decode(b, to)
}

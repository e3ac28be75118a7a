package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"

	"handoff/schemas"
)

// EncodeRecord encodes a record for its row, together with the fields that only a later version of this program knows.
// If the schema of r is below the schema of this program, EncodeRecord raises it. The State of an event is the digest
// of these bytes, so callers store them unchanged.
func EncodeRecord(r *Record) ([]byte, error) {
	r.Schema = max(r.Schema, schemas.Version)
	b, err := json.Marshal(r)
	if err != nil || len(r.unknown) == 0 {
		return b, err
	}
	all := maps.Clone(r.unknown)
	if err := schemas.Decode(b, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// DecodeRecord decodes a record. It keeps unknown fields for [EncodeRecord], so that an older program drops nothing
// that a newer program wrote. The error is [schemas.Unavailable] if the schema of the record is above the schema of
// this program. Any other error is an error of decoding. A nil b is an error.
func DecodeRecord(b []byte) (*Record, error) {
	var r Record
	err := schemas.DecodeKnown(b, &r)
	if err != nil { // rare: strict decoding costs no more than decoding
		r, err = decodeWithUnknownFields(b)
	}
	if err != nil || r.Schema > schemas.Version {
		return nil, cmp.Or(newerRecordError(b), err)
	}
	return &r, nil
}

// decodeWithUnknownFields decodes a record and keeps the fields that this program does not know. It decodes twice, so
// DecodeRecord calls it only if strict decoding failed.
func decodeWithUnknownFields(b []byte) (r Record, err error) {
	if err := schemas.Decode(b, &r); err != nil {
		return r, err
	}
	err = schemas.Decode(b, &r.unknown)
	for name := range schemas.Fields(reflect.TypeFor[Record]()) {
		delete(r.unknown, name)
	}
	return r, err
}

// newerRecordError returns an error if the schema of the record is above the schema of this program, and nil for any
// other record.
func newerRecordError(b []byte) error {
	var r struct {
		Schema int             `json:"v"`
		ID     json.RawMessage `json:"id"`
	}
	_ = schemas.Decode(b, &r) // an unreadable record is damaged, not newer
	if r.Schema <= schemas.Version {
		return nil
	}
	const text = "%s was written by a newer version of handoff (record schema %d, this one knows %d)"
	return schemas.Errorf(schemas.Unavailable, text, bytes.Trim(r.ID, `"`), r.Schema, schemas.Version).
		WithHint("Update handoff; nothing was changed.")
}

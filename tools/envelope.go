package tools

import (
	"bytes"
	"encoding/json"

	"handoff/schemas"
)

// dress adds to a result, a JSON object, the fields that every result has: inbox, which counts the caller's mail,
// where it is known, and next, where there is something to advise. The result is joined as bytes and not read again.
func dress(result json.RawMessage, inbox *schemas.Inbox, next []schemas.Advice) (json.RawMessage, error) {
	envelope, err := encode(struct {
		Inbox *schemas.Inbox   `json:"inbox,omitempty"`
		Next  []schemas.Advice `json:"next,omitempty"`
	}{inbox, next})
	switch {
	case err != nil:
		return nil, err
	case len(envelope) == len("{}"):
		return result, nil
	case len(result) == len("{}"):
		return envelope, nil
	}
	return bytes.Join([][]byte{result[:len(result)-1], envelope[1:]}, []byte(",")), nil
}

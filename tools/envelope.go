package tools

import (
	"bytes"
	"encoding/json"

	"handoff/schemas"
)

// dress lifts what every result says into a result: the caller's mail, where it is known, and what to call
// next. The result itself is not read again.
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

package store

import (
	"fmt"
	"iter"

	"handoff/schemas"
)

// Sent is what the index of senders knows of a handoff, so that no record has to be read.
type Sent struct {
	ID     schemas.ID
	At     Time
	Digest string // of the content, as in [Record]
}

// Sent yields the handoffs that an agent sent, newest first.
func (v *View) Sent(from schemas.Agent) iter.Seq2[Sent, error] {
	r := Prefix(BySender, word(from))
	r.Reverse = true
	return decoded(v, r, func(row Row) (Sent, error) {
		if len(row.Value) < 8 {
			return Sent{}, fmt.Errorf("what %s sent: a row of %d bytes: %w", from, len(row.Value), ErrCorrupt)
		}
		return Sent{schemas.ID(lastNumber(row.Key)), timeOf(row.Value), string(row.Value[8:])}, nil
	})
}

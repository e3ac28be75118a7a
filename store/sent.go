package store

import (
	"encoding/binary"
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
	return func(yield func(Sent, error) bool) {
		for row, err := range v.r.Scan(r) {
			var s Sent
			if err == nil && len(row.Value) < 8 {
				err = fmt.Errorf("what %s sent: a row of %d bytes: %w", from, len(row.Value), ErrCorrupt)
			}
			if err == nil {
				s = Sent{
					ID:     schemas.ID(lastNumber(row.Key)),
					At:     Time(binary.BigEndian.Uint64(row.Value)), //nolint:gosec // times are positive
					Digest: string(row.Value[8:]),
				}
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

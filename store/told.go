package store

import (
	"encoding/json"
	"slices"
	"time"

	"handoff/schemas"
)

// Told is what the hooks of one session have told it under one name, so that nothing is told twice.
type Told struct {
	At       Time  `json:"at"` // when something was last told, or that it was told something was last used
	Handoffs Seen  `json:"handoffs,omitzero"`
	Notices  Seen  `json:"notices,omitzero"`
	Reminded Seen  `json:"reminded,omitzero"` // handoffs because of which it was kept from stopping
	InARow   int   `json:"row,omitempty"`     // how often it was, since it last stopped
	Waits    int64 `json:"waits,omitempty"`   // since when the newest wait lasts that is to wake it, in nanoseconds since 1970
}

// Seen is a set of numbers that is bounded: the lowest are forgotten first, and what is not above a forgotten one
// counts as seen.
type Seen struct {
	Below uint64   `json:"below,omitempty"` // the highest that was forgotten
	Of    []uint64 `json:"of,omitempty"`    // ascending
}

// mostSeen bounds a set: its row stays below 10 KB.
const mostSeen = 1000

// Has tells whether n was seen, as far as is known.
func (s *Seen) Has(n uint64) bool {
	_, found := slices.BinarySearch(s.Of, n)
	return found || n <= s.Below
}

// Add makes n seen, and tells whether it was not before.
func (s *Seen) Add(n uint64) bool {
	i, found := slices.BinarySearch(s.Of, n)
	if found || n <= s.Below {
		return false
	}
	s.Of = slices.Insert(s.Of, i, n)
	if over := len(s.Of) - mostSeen; over > 0 {
		s.Below = s.Of[over-1]
		s.Of = slices.Delete(s.Of, 0, over)
	}
	return true
}

// Remove makes n unseen again, unless it was forgotten meanwhile, and tells whether it was seen.
func (s *Seen) Remove(n uint64) bool {
	i, found := slices.BinarySearch(s.Of, n)
	if found {
		s.Of = slices.Delete(s.Of, i, i+1)
	}
	return found
}

func tellings(a schemas.Agent, session string) []byte { return join(word(a), []byte(session)) }

// Told gives what a session was told under a name; the zero value when it was told nothing.
func (v *View) Told(a schemas.Agent, session string) (t Told, err error) {
	b, err := v.r.Get(Tellings, tellings(a, session))
	if b == nil || err != nil {
		return t, err
	}
	return t, json.Unmarshal(b, &t)
}

// PutTold keeps what a session was told under a name.
func (t *Tx) PutTold(a schemas.Agent, session string, told Told) error {
	b, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return t.w.Put(Tellings, tellings(a, session), b)
}

// ForgetTold deletes what sessions were told that were told nothing since the given time. It looks at no more than
// limit of them, those whose keys follow that of the given session: it is called for one session after another, and
// their ids are spread.
func (t *Tx) ForgetTold(before time.Time, a schemas.Agent, session string, limit int) error {
	from := tellings(a, session)
	for _, r := range []Range{{Space: Tellings, From: from, Hold: true}, {Space: Tellings, To: from, Hold: true}} {
		for row, err := range t.w.Scan(r) {
			if err != nil {
				return err
			}
			if limit--; limit < 0 {
				return nil
			}
			var told Told
			if json.Unmarshal(row.Value, &told) == nil && told.At >= At(before) {
				continue
			}
			if err := t.w.Delete(Tellings, row.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

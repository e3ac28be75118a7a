package store

import (
	"slices"
	"time"

	"handoff/schemas"
)

// DeliveredItems records the items that hooks delivered to one client session under one name, so that no item is delivered
// twice.
//
// A hook is a short process of a client that asks for news of its session. The row is keyed by agent and session, so a
// session under another name begins anew. It is JSON, at most about 30 KB when its three sets are full. Nothing depends
// on the row: if it is lost, items are delivered once more.
type DeliveredItems struct {
	At       Time        `json:"at"` // when an item was last delivered, or when this row was last needed
	Handoffs SeenNumbers `json:"handoffs,omitzero"`
	Notices  SeenNumbers `json:"notices,omitzero"`
	Reminded SeenNumbers `json:"reminded,omitzero"` // handoffs that kept the session from stopping
	InARow   int         `json:"row,omitempty"`     // how often hooks kept the session from stopping since it last stopped
	Waits    int64       `json:"waits,omitempty"`   // start of the newest wait for the session, nanoseconds since 1970
}

// SeenNumbers is a set of at most a thousand numbers. When it is full it forgets the lowest, and counts all numbers up to a
// forgotten one as seen. The zero value is empty.
//
// It is for numbers that count up, such as ids. It has no lock: one goroutine at a time uses it.
type SeenNumbers struct {
	Below uint64   `json:"below,omitempty"` // the highest number that was forgotten
	Of    []uint64 `json:"of,omitempty"`    // ascending
}

// maxSeen keeps the row of a set below 10 KB.
const maxSeen = 1000

// Has reports whether n was seen, or is not above a number that was forgotten.
func (s *SeenNumbers) Has(n uint64) bool {
	_, found := slices.BinarySearch(s.Of, n)
	return found || n <= s.Below
}

// Add makes n seen, and reports whether it was not seen before.
//
// Adding to a full set may forget a number: from then on all numbers up to it count as seen, even numbers that never
// were.
func (s *SeenNumbers) Add(n uint64) bool {
	i, found := slices.BinarySearch(s.Of, n)
	if found || n <= s.Below {
		return false
	}
	s.Of = slices.Insert(s.Of, i, n)
	if over := len(s.Of) - maxSeen; over > 0 {
		s.Below = s.Of[over-1]
		s.Of = slices.Delete(s.Of, 0, over)
	}
	return true
}

// Remove makes n unseen again, and reports whether it did. A number that was forgotten stays seen.
func (s *SeenNumbers) Remove(n uint64) bool {
	i, found := slices.BinarySearch(s.Of, n)
	if found {
		s.Of = slices.Delete(s.Of, i, i+1)
	}
	return found
}

func deliveryKey(a schemas.Agent, session string) []byte {
	return joinBytes(zeroTerminated(a), []byte(session))
}

// DeliveredItems returns the items delivered to a session under a name; the zero value for none.
func (v *View) DeliveredItems(a schemas.Agent, session string) (DeliveredItems, error) {
	row, err := getJSON[DeliveredItems](v, Deliveries, deliveryKey(a, session))
	return schemas.ValueOrZero(row), err
}

// PutDeliveredItems replaces the items delivered to a session under a name.
//
// Callers write it in the transaction that chooses the items. If the process dies after the commit and before the
// client shows the text, the store counts the item as delivered and does not deliver it again.
func (t *Tx) PutDeliveredItems(a schemas.Agent, session string, d DeliveredItems) error {
	return t.putJSON(Deliveries, deliveryKey(a, session), d)
}

// DeleteOldDeliveries deletes the rows of sessions whose At is before the given time. It looks at no more than limit rows:
// first the rows after the key of the given session, then from the first key on. Each delivery calls it with its own
// session. Ids of sessions are random, so over time it looks at all rows. A row that cannot be read is deleted.
func (t *Tx) DeleteOldDeliveries(before time.Time, a schemas.Agent, session string, limit int) error {
	from := deliveryKey(a, session)
	for _, r := range []Range{{Space: Deliveries, From: from}, {Space: Deliveries, To: from}} {
		for row, err := range t.w.Scan(r) {
			if err != nil {
				return err
			}
			if limit--; limit < 0 {
				return nil
			}
			var d DeliveredItems
			if schemas.Decode(row.Value, &d) == nil && d.At >= TimeOf(before) {
				continue
			}
			if err := t.w.Delete(Deliveries, row.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

package store

import (
	"slices"
	"time"

	"handoff/schemas"
)

// DeliveredItems records the items that hooks delivered to one client session under one agent name, so that no item is
// delivered twice. A hook is a short process of the client.
//
// The key of the row is agent and session, so a session under another name begins anew. The row is JSON of at most
// about 30 KB. If the row is lost, items are delivered once more.
type DeliveredItems struct {
	At       Time        `json:"at"` // when an item was last delivered, or when this row was last needed
	Handoffs SeenNumbers `json:"handoffs,omitzero"`
	Notices  SeenNumbers `json:"notices,omitzero"`
	Reminded SeenNumbers `json:"reminded,omitzero"` // handoffs that kept the session from stopping
	InARow   int         `json:"row,omitempty"`     // how often hooks kept the session from stopping since it last stopped
	Waits    int64       `json:"waits,omitempty"`   // start of the newest wait for the session, nanoseconds since 1970
}

// SeenNumbers is a set of at most a thousand numbers that count up, such as ids. A full set forgets its lowest number.
// From then on, all numbers up to the forgotten one count as seen. The zero value is an empty set. One goroutine at a
// time uses it.
type SeenNumbers struct {
	Below uint64   `json:"below,omitempty"` // the highest number that was forgotten
	Of    []uint64 `json:"of,omitempty"`    // ascending
}

// maxSeen keeps the row of a set below 10 KB.
const maxSeen = 1000

// Has reports whether n was seen. A number that is not above a forgotten number counts as seen.
func (s *SeenNumbers) Has(n uint64) bool {
	_, found := slices.BinarySearch(s.Of, n)
	return found || n <= s.Below
}

// Add adds n, and reports whether n was not seen before. Adding to a full set forgets the lowest number of the set.
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

// Remove makes n unseen again, and reports whether n was in the set. A forgotten number stays seen.
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

// PutDeliveredItems replaces the items delivered to a session under a name. The caller writes them in the transaction
// that chooses the items. If the process dies after the commit, the items count as delivered even if the client never
// showed them.
func (t *RowTx) PutDeliveredItems(a schemas.Agent, session string, d DeliveredItems) error {
	return t.putJSON(Deliveries, deliveryKey(a, session), d)
}

// DeleteOldDeliveries deletes the rows of sessions whose At is before the given time, and rows that cannot be read. It
// looks at no more than limit rows: first the rows after the key of the given session, then the rows from the first key
// on. Ids of sessions are random, so repeated calls look at all rows over time.
func (t *RowTx) DeleteOldDeliveries(before time.Time, a schemas.Agent, session string, limit int) error {
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

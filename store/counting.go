package store

import (
	"context"
	"time"

	"handoff/schemas"
)

// CountStates counts the handoffs in each of the given states, each state in a snapshot of its own: a handoff that changes
// its state meanwhile may be counted twice or not at all.
//
// It reads one index row for each handoff and no record, so it takes longer the more handoffs are in the states. Every
// given state is in the result, also with zero. Ended handoffs only grow in number, which is why its caller asks for
// them seldom.
func (s *Store) CountStates(ctx context.Context, states ...schemas.Status) (map[schemas.Status]int, error) {
	counts := make(map[schemas.Status]int, len(states))
	for _, state := range states {
		n := 0
		err := s.View(ctx, func(v *View) error {
			return v.Each(Prefix(ByState, terminated(state)), func(Row) error { n++; return nil })
		})
		if counts[state] = n; err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// OldestPending returns when the oldest handoff was sent that may be claimed from a box, and zero when there is none. A
// damaged record is passed over.
//
// Ids count up with time, so the oldest handoff has the least id. Its position in the mailbox is at most the time at
// which it was sent, so handoffs whose position is later are younger and need not be looked at. It looks at the rows of
// the mailbox in order and reads a record only for a lower id than any before.
func (v *View) OldestPending(box schemas.Address) (time.Time, error) {
	var oldest *Record
	for row, err := range v.r.Scan(claimableIn(box)) {
		if err != nil {
			return time.Time{}, err
		}
		id, order := schemas.ID(LastNumber(row.Key)), LastNumber(row.Key[:max(0, len(row.Key)-8)])
		if oldest == nil || id < oldest.ID {
			if found, err := v.Record(id); err == nil && found != nil {
				oldest = found
			}
		} else if Time(order) > oldest.Created { //nolint:gosec // times are positive
			break
		}
	}
	if oldest == nil {
		return time.Time{}, nil
	}
	return oldest.Created.Time(), nil
}

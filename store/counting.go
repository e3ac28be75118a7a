package store

import (
	"context"
	"time"

	"handoff/schemas"
)

// CountStates counts the handoffs in each of the given states. It uses one snapshot for each state, so a handoff that
// changes its state meanwhile may be counted twice or not at all. It reads one index row for each handoff, so callers
// call it rarely. The result has every given state, even with zero.
func (s *Store) CountStates(ctx context.Context, states ...schemas.Status) (map[schemas.Status]int, error) {
	counts := make(map[schemas.Status]int, len(states))
	for _, state := range states {
		n := 0
		err := s.View(ctx, func(v *View) error {
			return v.EachInRange(Prefix(ByState, zeroTerminated(state)), func(Row) error { n++; return nil })
		})
		if counts[state] = n; err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// OldestPending returns the send time of the oldest handoff that may be claimed from a box, and zero if there is none.
// It skips a damaged record.
//
// The oldest handoff has the lowest id. So OldestPending scans the mailbox in the order of claims, and reads a record
// only if its id is lower than all ids before. A [QueuePosition] is never after the send time. So when a position is
// after the send time of the oldest record so far, all remaining handoffs are younger, and the scan stops.
func (v *View) OldestPending(box schemas.Address) (time.Time, error) {
	var oldest *Record
	for row, err := range v.r.Scan(claimableRange(box)) {
		if err != nil {
			return time.Time{}, err
		}
		id, order := schemas.ID(DecodeLastNumber(row.Key)), DecodeLastNumber(row.Key[:max(0, len(row.Key)-8)])
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

package store

import (
	"bytes"
	"context"
	"time"

	"handoff/schemas"
)

// CountStates counts the handoffs in each of the given states. Each thousand rows are read from a snapshot of their
// own: where there are more, a handoff that changes state meanwhile may be counted twice or not at all.
//
// It reads one index row for each handoff and no record, so it takes longer the more handoffs are in the states. Every
// given state is in the result, also with zero. Ended handoffs only grow in number, which is why its caller asks for
// them seldom.
func (s *Store) CountStates(ctx context.Context, states ...schemas.Status) (map[schemas.Status]int, error) {
	counts := make(map[schemas.Status]int, len(states))
	var from []byte // key in the index of states[0], nil for its beginning
	for len(states) > 0 {
		err := s.View(ctx, func(v *View) error {
			for room := slice; len(states) > 0; states = states[1:] {
				r := Prefix(ByState, word(states[0]))
				if from != nil {
					r.From = from
				}
				n := 0
				rest, err := v.upTo(room, r, func(*View, Row) error {
					n++
					return nil
				})
				counts[states[0]] += n
				room -= n
				if from = rest; rest != nil || err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// EachMailbox calls fn with the counters of every mailbox that is not empty, by name. Each thousand mailboxes are read
// from a snapshot of their own.
//
// Fn is called outside of any promise about the moment: the counters of two boxes may be of different snapshots. It
// must not call the store, because a snapshot is open.
func (s *Store) EachMailbox(ctx context.Context, fn func(schemas.Address, Mailbox)) error {
	tokens := []byte(tokenBox(""))
	return s.EachRow(ctx, Mailboxes, func(_ *View, row Row) error {
		if bytes.HasPrefix(row.Key, tokens) {
			return nil // the same handoffs are counted in a mailbox as well
		}
		m, err := decodeMailbox(row.Value)
		if err == nil {
			fn(schemas.Address(row.Key), m)
		}
		return err
	})
}

// OldestPending returns when the oldest handoff was sent that may be claimed from a box, and zero when there is none. A
// damaged record is passed over.
//
// Ids count up with time, so the oldest handoff has the least id. Its position in the mailbox is at most the time at
// which it was sent, so handoffs whose position is later are younger and need not be looked at.
//
// It looks at the rows of the mailbox in order and reads a record only for a lower id than any before, in slices of a
// thousand rows. Rows that change meanwhile may be missed or counted; the result is for a figure and not for a
// decision.
func (s *Store) OldestPending(ctx context.Context, box schemas.Address) (time.Time, error) {
	var oldest *Record
	for r := Prefix(Ready, word(box)); r.From != nil; {
		err := s.View(ctx, func(v *View) (err error) {
			r.From, err = v.oldestReady(r, &oldest)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
	}
	if oldest == nil {
		return time.Time{}, nil
	}
	return oldest.Created.Time(), nil
}

// oldestReady looks through a slice of a mailbox for a handoff older than oldest. It returns the key with which to go
// on, nil when no older handoff can come.
func (v *View) oldestReady(r Range, oldest **Record) (rest []byte, err error) {
	n := 0
	for row, err := range v.r.Scan(r) {
		if err != nil {
			return nil, err
		}
		if n++; n > slice {
			return bytes.Clone(row.Key), nil
		}
		id, order := schemas.ID(lastNumber(row.Key)), lastNumber(row.Key[:max(0, len(row.Key)-8)])
		switch {
		case *oldest == nil || id < (*oldest).ID:
			if found, err := v.Record(id); err == nil && found != nil {
				*oldest = found
			}
		case Time(order) > (*oldest).Created: //nolint:gosec // times are positive
			return nil, nil
		}
	}
	return nil, nil
}

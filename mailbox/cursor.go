package mailbox

import (
	"bytes"
	"iter"

	"handoff/schemas"
	"handoff/store"
)

// after yields the handoffs behind the cursor in the order of claiming, also when the one that the cursor names was
// claimed since.
func after(v *store.View, ids iter.Seq2[schemas.ID, error], cursor schemas.ID) (iter.Seq2[schemas.ID, error], error) {
	if cursor == 0 {
		return ids, nil
	}
	r, err := v.Record(cursor)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, badCursor()
	}
	last := claimOrder(r)
	return func(yield func(schemas.ID, error) bool) {
		passed := false
		for id, err := range ids {
			if err == nil && !passed {
				passed, err = claimedAfter(v, id, last)
			}
			if (err != nil || passed) && !yield(id, err) {
				return
			}
		}
	}, nil
}

// claimedAfter tells whether a handoff comes after a position in the order of claiming.
func claimedAfter(v *store.View, id schemas.ID, last []byte) (bool, error) {
	r, err := v.Record(id)
	if err != nil {
		return false, err
	}
	return bytes.Compare(claimOrder(r), last) > 0, nil
}

// claimOrder is the position of a handoff in the order of claiming, or the one that it had when it was pending.
func claimOrder(r *store.Record) []byte {
	const anywhere = "any"
	pending := store.Record{ID: r.ID, Created: r.Created, Priority: r.Priority, Status: schemas.Pending, Box: anywhere}
	for _, e := range store.Entries(&pending) {
		if e.Space == store.Ready {
			return e.Key
		}
	}
	return nil
}

func badCursor() error {
	return schemas.Invalidf("cursor", "is not one that a list gave").WithHint("Leave it out to begin again.")
}

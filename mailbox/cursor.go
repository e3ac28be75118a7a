package mailbox

import (
	"bytes"
	"iter"

	"handoff/schemas"
	"handoff/store"
)

// after passes over what comes up to and including the cursor in the order of claiming, also when the cursor
// itself was claimed since.
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
	last := turn(r)
	return func(yield func(schemas.ID, error) bool) {
		passed := false
		for id, err := range ids {
			if err == nil && !passed {
				passed, err = follows(v, id, last)
			}
			if (err != nil || passed) && !yield(id, err) {
				return
			}
		}
	}, nil
}

// follows tells whether a handoff is claimed after a turn.
func follows(v *store.View, id schemas.ID, last []byte) (bool, error) {
	r, err := v.Record(id)
	if err != nil {
		return false, err
	}
	return bytes.Compare(turn(r), last) > 0, nil
}

// turn is where a handoff stands in the order of claiming, or stood when it was pending.
func turn(r *store.Record) []byte {
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

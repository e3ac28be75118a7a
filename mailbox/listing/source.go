package listing

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"handoff/schemas"
	"handoff/store"
)

// candidateIDs yields the ids of the handoffs that may be in the list, after the cursor. It reads the index of the
// store that fits the filter best, for example the index of a workflow. The inbox is in the order of claims, other
// lists are newest first. If an inbox is filtered by a state other than pending, it has the handoffs that are addressed
// to the agent's name.
func (f Filter) candidateIDs(
	v *store.View, a schemas.Agent, inbox inboxFunc,
) (ids iter.Seq2[schemas.ID, error], fits func(*store.Record) bool, err error) {
	fits = func(*store.Record) bool { return true }
	switch box := f.in.Box; {
	case box == "claimed" && len(f.states) > 0 && f.states[0].HasEnded():
		return v.NewestFirst(store.IndexByLastHolder(a), f.cursor), fits, nil
	case box == "claimed":
		return v.NewestFirst(store.IndexByHolder(a), f.cursor), fits, nil
	case box == "sent":
		return v.NewestFirst(store.IndexBySender(a), f.cursor), fits, nil
	case box == "all" && f.in.Workflow != "":
		return v.NewestFirst(store.IndexByWorkflow(schemas.Workflow(f.in.Workflow)), f.cursor), fits, nil
	case box == "all" && len(f.states) > 0:
		return f.newestInStates(v), fits, nil
	case box == "all":
		return v.NewestFirst(store.IndexOfAllHandoffs(), f.cursor), fits, nil
	case f.in.Status != "" && f.in.Status != schemas.StatusFilter(schemas.Pending):
		return v.NewestFirst(store.IndexByRecipient(schemas.Address(a)), f.cursor), fits, nil
	}
	boxes, fits, err := inbox(a)
	if err != nil {
		return nil, nil, err
	}
	if a == schemas.Human {
		ids, err = humanInboxIDs(v, boxes, f.cursor)
	} else {
		ids, err = afterCursor(v, v.ClaimableHandoffs(boxes...), f.cursor)
	}
	return ids, fits, err
}

// humanInboxIDs yields the handoffs that wait for approval, newest first, and then the handoffs in the mailboxes of
// human. It reads the records of all pending handoffs after the cursor, because the store has no index of handoffs that
// wait for approval.
func humanInboxIDs(v *store.View, inbox []schemas.Address, cursor schemas.ID) (iter.Seq2[schemas.ID, error], error) {
	last := cursor
	if cursor != 0 {
		switch r, err := v.Record(cursor); {
		case err != nil:
			return nil, err
		case r != nil && r.NeedsApproval:
			cursor = 0 // the mailboxes follow
		default:
			return afterCursor(v, v.ClaimableHandoffs(inbox...), cursor)
		}
	}
	queue, err := afterCursor(v, v.ClaimableHandoffs(inbox...), cursor)
	return func(yield func(schemas.ID, error) bool) {
		for id, err := range v.NewestFirst(store.IndexByState(schemas.Pending), last) {
			r, broken := v.Record(id)
			waits := broken == nil && r != nil && r.NeedsApproval && !slices.Contains(inbox, r.Box)
			if (err != nil || waits) && !yield(id, err) {
				return
			}
		}
		queue(yield)
	}, err
}

// newestInStates yields the handoffs in the filter's states, newest first. It merges the indexes of the states, so it
// keeps only one id of each state in memory.
func (f Filter) newestInStates(v *store.View) iter.Seq2[schemas.ID, error] {
	newest := func(state schemas.Status) iter.Seq2[schemas.ID, error] {
		return v.NewestFirst(store.IndexByState(state), f.cursor)
	}
	return store.Merge(func(a, b schemas.ID) int { return cmp.Compare(b, a) }, schemas.Map(f.states, newest)...)
}

// afterCursor yields the handoffs of ids that follow the handoff of the cursor in the order of claims, even if that
// handoff was claimed since. It reads the record of each handoff up to the cursor, so later pages take longer. The
// error is invalid for a cursor that names no handoff.
func afterCursor(v *store.View, ids iter.Seq2[schemas.ID, error], cursor schemas.ID) (iter.Seq2[schemas.ID, error], error) {
	if cursor == 0 {
		return ids, nil
	}
	r, err := v.Record(cursor)
	if err != nil || r == nil {
		return nil, cmp.Or(err, cursorError())
	}
	last := store.QueuePosition(r)
	return func(yield func(schemas.ID, error) bool) {
		passed := false
		for id, err := range ids {
			if err == nil && !passed {
				var other *store.Record
				if other, err = v.Record(id); err == nil {
					passed = bytes.Compare(store.QueuePosition(other), last) > 0
				}
			}
			if (err != nil || passed) && !yield(id, err) {
				return
			}
		}
	}, nil
}

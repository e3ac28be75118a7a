package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// cancel ends a handoff that is no longer wanted. Its children are listed and go on.
func (o *op) cancel(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	now, err := o.step(life.Cancel, r)
	if err != nil {
		return nil, err
	}
	o.end(&now)
	if out.Children, err = o.openChildren(r); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Cancelled by %s. %s", o.by.Agent, in.Note)
	cancelled := happening{action: life.Cancel, was: r, now: &now, text: text}
	return &now, o.commitNote(cancelled, schemas.UpdateIn{Action: in.Action, Note: in.Note})
}

func (o *op) openChildren(r *store.Record) (open []schemas.ID, err error) {
	for id, err := range o.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return nil, err
		}
		if child := readable(o.View, id); child != nil && !child.Status.Ended() {
			open = append(open, id)
		}
	}
	return open, nil
}

// cancelPart cancels what the holder of a failed handoff passed on, unless somebody claimed it.
func (o *op) cancelPart(part, failed *store.Record) error {
	if part.Status != schemas.Pending || part.Claims > 0 || part.From != failed.Holder {
		return nil
	}
	now, err := o.step(life.Cancel, part)
	if err != nil {
		return err
	}
	o.end(&now)
	text := failed.ID.String() + ", of which it was a part, failed."
	return o.commit(happening{action: life.Cancel, was: part, now: &now, other: failed.ID, text: text})
}

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
	content, err := o.saidNote(&now, in)
	if err != nil {
		return nil, err
	}
	if out.Children, err = o.openChildren(r); err != nil {
		return nil, err
	}
	err = o.commit(happening{
		action: life.Cancel, was: r, now: &now, said: content,
		text: fmt.Sprintf("Cancelled by %s. %s", o.by.Agent, in.Note),
	})
	return &now, err
}

// saidNote makes content of the note that came with an action and points the record to it.
func (o *op) saidNote(now *store.Record, in schemas.UpdateIn) (content store.Content, err error) {
	if in.Note == "" {
		return content, nil
	}
	if now.Note, err = o.nextEvent(); err != nil {
		return content, err
	}
	return o.said(schemas.UpdateIn{Action: in.Action, Note: in.Note})
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

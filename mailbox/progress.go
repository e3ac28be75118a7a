package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// progress notes how far the holder is, and renews the lease. Questions that are open are withdrawn by it.
func (o *op) progress(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if err := o.heldNow(life.Progress, r, in.Token); err != nil {
		return nil, err
	}
	if in.Changes != nil && in.Changes.Checkpoint != nil {
		kept, err := o.checkpoint(r, in.Changes.Checkpoint)
		if err != nil {
			return nil, inChanges(err)
		}
		r = kept
		out.Checkpoint = checkpointID(r.Checkpoint)
	}
	now, err := o.step(life.Progress, r)
	if err != nil {
		return nil, err
	}
	if in.Percent != 0 {
		now.Percent = in.Percent
	}
	now.Ask, now.Asker, now.Permission = 0, "", false
	o.touch(&now)
	reported := happening{action: life.Progress, was: r, now: &now}
	return &now, o.commitNote(reported, schemas.UpdateIn{Action: in.Action, Note: in.Note, Percent: in.Percent})
}

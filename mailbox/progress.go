package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// progress notes how far the holder is and renews the lease. Open questions are withdrawn.
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
	content, err := o.saidNote(&now, schemas.UpdateIn{Action: in.Action, Note: in.Note, Percent: in.Percent})
	if err != nil {
		return nil, err
	}
	if in.Percent != 0 {
		now.Percent = in.Percent
	}
	now.Ask, now.Asker, now.Permission = 0, "", false
	o.touch(&now)
	return &now, o.commitSaying(happening{action: life.Progress, was: r, now: &now}, content)
}

// heldNow checks that the caller holds the claim and that it runs.
func (o *op) heldNow(a life.Action, r *store.Record, token string) error {
	if _, ok := life.Next(a, r.Status); !ok {
		return o.notNow(a, r)
	}
	o.asHolder(r, token)
	return o.proves(r, token)
}

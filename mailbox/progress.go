package mailbox

import (
	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// progress notes how far the holder is, and renews the lease, see [life.Progress]. Questions that are open are
// withdrawn by it. A checkpoint is an event of its own before that of the progress, in the same transaction. A
// percentage of zero leaves the last one.
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
		out.Checkpoint = reading.CheckpointID(r.Checkpoint)
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

// checkpoint keeps where work stands, and gives the record that names it. What is said is added to the last checkpoint,
// also to one of a handoff whose place this one took, see [compose.Checkpoint]. Without a checkpoint it keeps nothing and gives the
// record as it was. The error is limit for one that is larger than a handoff may be. Earlier checkpoints stay with their
// events.
func (o *op) checkpoint(r *store.Record, c *schemas.Checkpoint) (*store.Record, error) {
	if c == nil {
		return r, nil
	}
	last, err := reading.Checkpoint(o.View, r)
	if err != nil {
		return nil, err
	}
	kept := compose.Checkpoint(orZero(last), *c)
	kept.ID = reading.CheckpointID(o.next())
	now, err := o.step(life.Mark, r)
	if err != nil {
		return nil, err
	}
	now.Checkpoint = o.next()
	return &now, o.commit(happening{action: life.Mark, was: r, now: &now, said: kept, part: "checkpoint"})
}

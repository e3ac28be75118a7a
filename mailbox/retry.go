package mailbox

import (
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one, see [life.Retry]. Repeating it gives the same one, for as long as that
// is the latest that took its place; a handoff that went on by a rollback can still be retried.
func (o *op) retry(r *store.Record, _ schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = reading.CheckpointID(r.Checkpoint)
	}
	if _, err := o.step(life.Retry, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			out.Created = r.Successor
			return r, err
		}
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	again, err := o.sendAgain(life.Retry, r, o.by.Token)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return r, nil
}

// returnWork gives a completed handoff back whose result is not good enough, see [life.Return]: the same agent gets a
// child with the reasons. It can be done once. That the chain has room for the child is checked first, since here the
// caller can be refused.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if _, ok := life.Next(life.Return, r.Status); ok && strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to return work").WithHint("Say what is not good enough, so that it can be mended.")
	}
	now, err := o.step(life.Return, r)
	if err != nil {
		return nil, err
	}
	if err := o.checkDepth(lineage{}.under(r), r); err != nil {
		return nil, err
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	returned := happening{action: life.Return, was: r, now: &now, why: lost{Reason: in.Note}}
	if err := o.commitNote(returned, schemas.UpdateIn{Action: in.Action, Note: in.Note}); err != nil {
		return nil, err
	}
	followed, err := o.follow()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.successor.ID, followed.successor.To
	return &now, nil
}

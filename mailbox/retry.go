package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one, see [life.Retry], with what the caller changes about it. Repeating it
// gives the same one, for as long as that is the latest that took its place; a handoff that went on by a rollback can
// still be retried.
func (o *op) retry(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = reading.CheckpointID(r.Checkpoint)
	}
	if _, err := o.step(life.Retry, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			if out.Created = r.Successor; in.Note != "" || in.To != "" || in.Changes != nil {
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s was retried before, as %s: amend that one", r.ID, r.Successor))
			}
			return r, err
		}
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	rev, err := o.revised(r, in, out)
	if err != nil {
		return nil, err
	}
	again, err := o.sendAgain(life.Retry, r, rev, o.by.Token)
	if err != nil {
		return nil, err
	}
	out.Created, out.To, out.Changed = again.ID, again.To, rev.changed
	if back := reading.Readable(o.View, r.Rollback); back != nil && !back.Status.Ended() {
		out.Warnings = append(out.Warnings, o.rolledBack(r, back, again))
	}
	return r, nil
}

// rolledBack warns of the open rollback of a handoff that runs again: what becomes of it depends on who holds it.
func (o *op) rolledBack(r, back, again *store.Record) string {
	switch {
	case !back.Status.Held():
		return fmt.Sprintf("%s, to which %s was rolled back, is %s at %s: it is cancelled when %s is completed before anybody claims it",
			back.ID, r.ID, back.Status, back.To, again.ID)
	case back.Holder == o.by.Agent:
		return fmt.Sprintf("you hold %s, to which %s was rolled back: complete or release it", back.ID, r.ID)
	}
	return fmt.Sprintf("%s holds %s, to which %s was rolled back: it goes on beside %s", back.Holder, back.ID, r.ID, again.ID)
}

package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one. Repeating it gives the same one.
func (o *op) retry(r *store.Record, _ schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = checkpointID(r.Checkpoint)
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

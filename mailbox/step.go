package mailbox

import (
	"handoff/mailbox/life"
	"handoff/store"
)

// step applies an action to a record as the table of package life says: it gives a copy in the next state, and leaves
// the rest for the operation to change before [op.commit]. The error is conflict for a state in which the action is
// not allowed, denied for a caller who plays none of the parts that may do it.
func (o *op) step(a life.Action, r *store.Record) (now store.Record, err error) {
	s, ok := life.Next(a, r.Status)
	if !ok {
		return now, o.notNow(a, r)
	}
	if err := o.allowed(a, s.By, r); err != nil {
		return now, err
	}
	now = r.Clone()
	now.Status = s.To
	return now, nil
}

// end sets what every ended record has in common.
func (o *op) end(r *store.Record) {
	r.Ended, r.Lease, r.Reserved, r.Box, r.After, r.NeedsApproval = store.At(o.now), 0, 0, "", nil, false
}

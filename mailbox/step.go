package mailbox

import (
	"handoff/mailbox/life"
	"handoff/store"
)

// step applies an action to a record: it checks the state and the caller's part, changes the status, and
// leaves the rest to change before [op.commit].
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

package mailbox

import (
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
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

// wakes is the next time at which the clock changes a record.
func wakes(r *store.Record) store.Time {
	switch {
	case len(r.Owes) > 0:
		return r.Created // at once
	case r.Status.Ended():
		return 0
	}
	times := []store.Time{r.Deadline, r.Lease, r.Reserved}
	if r.Box == "" && r.Status == schemas.Pending {
		times = append(times, r.NotBefore)
	}
	times = slices.DeleteFunc(times, func(t store.Time) bool { return t == 0 })
	if len(times) == 0 {
		return 0
	}
	return slices.Min(times)
}

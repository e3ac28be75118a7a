package mailbox

import (
	"handoff/mailbox/life"
	"handoff/store"
)

// lapsed applies one thing that the clock has changed about a handoff. More may be due of it then: a lease and a
// deadline that ended together are two events, and the deadline comes first, since nobody is to claim what is over.
func (o *op) lapsed(r *store.Record) error {
	now := store.At(o.now)
	over := func(t store.Time) bool { return t != 0 && t <= now }
	switch {
	case len(r.Owes) > 0:
		return o.resume(r)
	case over(r.Deadline):
		return o.expire(r)
	case over(r.Lease):
		return o.leaseEnded(r)
	case over(r.Reserved):
		return o.unreserve(r)
	default: // a delay is over
		return o.ready(r)
	}
}

// expire ends a handoff whose deadline passed.
func (o *op) expire(r *store.Record) error {
	return o.timeOut(happening{
		action: life.Expire, due: r.Deadline, text: "Its deadline passed.", why: lost{Reason: "its deadline passed"},
	}, r)
}

// exhaust ends a handoff whose attempts are used up.
func (o *op) exhaust(r *store.Record) error {
	return o.timeOut(happening{
		action: life.Exhaust, due: r.Lease, text: "All attempts ended in silence.",
		why: lost{Reason: "all attempts ended in silence"},
	}, r)
}

// timeOut ends a handoff in the name of the clock.
func (o *op) timeOut(h happening, r *store.Record) error {
	now, err := o.step(h.action, r)
	if err != nil {
		return err
	}
	o.end(&now)
	h.was, h.now = r, &now
	return o.commit(h)
}

// leaseEnded decides what becomes of a claim whose lease ended: it goes on, if the connection that claimed is open or
// the machine slept, see [op.renewed]; it ends with the handoff, if this was the last attempt; else the handoff may be
// claimed again. The token of the holder stays good until somebody does, because nothing is gained by throwing work
// away.
func (o *op) leaseEnded(r *store.Record) error {
	if end := o.renewed(r); end > store.At(o.now) {
		return o.renew(r, r.Lease, func(now *store.Record) { now.Lease = end })
	}
	if r.Attempt >= r.MaxAttempts {
		return o.exhaust(r)
	}
	now, err := o.step(life.Requeue, r)
	if err != nil {
		return err
	}
	now.Lease, now.Box = 0, r.To
	return o.commit(happening{action: life.Requeue, was: r, now: &now, due: r.Lease})
}

// renew lets a claim or a reservation go on that was to end.
func (o *op) renew(r *store.Record, due store.Time, prolong func(*store.Record)) error {
	now, err := o.step(life.Renew, r)
	if err != nil {
		return err
	}
	prolong(&now)
	return o.commit(happening{action: life.Renew, was: r, now: &now, due: due})
}

// unreserve offers a handoff to all who qualify when the asker did not come back for its answer.
func (o *op) unreserve(r *store.Record) error {
	if end := o.prolonged(r, r.Reserved); end > store.At(o.now) {
		return o.renew(r, r.Reserved, func(now *store.Record) { now.Reserved = end })
	}
	now, err := o.step(life.Unreserve, r)
	if err != nil {
		return err
	}
	now.Reserved, now.Box = 0, r.To
	return o.commit(happening{action: life.Unreserve, was: r, now: &now, due: r.Reserved})
}

// ready offers a handoff whose delay is over.
func (o *op) ready(r *store.Record) error {
	now, err := o.step(life.Ready, r)
	if err != nil {
		return err
	}
	now.Box, now.NotBefore = r.To, 0
	return o.commit(happening{action: life.Ready, was: r, now: &now, due: r.NotBefore})
}

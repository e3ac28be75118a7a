package mailbox

import (
	"fmt"
	"log/slog"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// lapseLimit bounds what the clock changes within one operation; the rest is due at the next.
const lapseLimit = 256

// lapse applies what the clock has changed: leases, reservations, delays and deadlines that ended.
func (o *op) lapse() error {
	due := make([]schemas.ID, 0, 8)
	for id, err := range o.Due(o.now) {
		if err != nil {
			return err
		}
		if due = append(due, id); len(due) == lapseLimit {
			break
		}
	}
	applied := 0
	return o.as(clockCaller, func() error {
		for _, id := range due {
			if err := o.alone(func() error { return o.lapseOne(id) }); err != nil {
				// One damaged handoff must not stop the others: it stays as it is.
				o.Logger.Error("time could not be applied", slog.String("handoff", id.String()), slog.Any("error", err))
				continue
			}
			applied++
		}
		o.more = len(due) == lapseLimit && applied > 0
		return nil
	})
}

// alone does a part of the operation that may fail alone.
func (o *op) alone(fn func() error) error {
	tx, view, before := o.tx, o.View, o.effects
	defer func() { o.tx, o.View = tx, view }()
	err := tx.Try(func(part *store.Tx) error {
		o.tx, o.View = part, &part.View
		return fn()
	})
	if err != nil {
		o.effects = before
	}
	return err
}

func (o *op) lapseOne(id schemas.ID) error {
	r, err := o.Record(id)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("there is no record of %s", id)
	}
	return o.lapsed(r)
}

// current is a record after what the clock has changed about it: more may be due than one operation
// applies, and none acts on a record whose time is over.
func (o *op) current(r *store.Record) (*store.Record, error) {
	for o.isDue(r) {
		if err := o.as(clockCaller, func() error { return o.lapsed(r) }); err != nil {
			return nil, err
		}
		var err error
		if r, err = o.Record(r.ID); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// usable is the record of a handoff as it is now; nil for one that is missing or damaged, or that time cannot
// change: where many are gone through, it stops no other.
func (o *op) usable(id schemas.ID) *store.Record {
	r, err := o.Record(id)
	if err == nil && r != nil && o.isDue(r) {
		err = o.alone(func() (err error) {
			r, err = o.current(r)
			return err
		})
	}
	if err != nil {
		o.Logger.Error("a handoff was passed over", slog.String("handoff", id.String()), slog.Any("error", err))
		return nil
	}
	return r
}

func (o *op) isDue(r *store.Record) bool { return r.Wakes != 0 && r.Wakes <= store.At(o.now) }

func (o *op) lapsed(r *store.Record) error {
	now := store.At(o.now)
	over := func(t store.Time) bool { return t != 0 && t <= now }
	switch {
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

// expire ends a handoff whose deadline passed: the sender is told and the rollback rule is applied.
func (o *op) expire(r *store.Record) error {
	now, err := o.timeOut(life.Expire, r, r.Deadline, "Its deadline passed.")
	if err != nil {
		return err
	}
	_, err = o.rollback(now, "", lost{Reason: "its deadline passed"})
	return err
}

// exhaust ends a handoff whose attempts are used up: the sender is told, and a person.
func (o *op) exhaust(r *store.Record) error {
	now, err := o.timeOut(life.Exhaust, r, r.Lease, "All attempts ended in silence.")
	if err != nil {
		return err
	}
	_, err = o.escalate(now, lost{Reason: "all attempts ended in silence"})
	return err
}

// timeOut ends a handoff in the name of the clock.
func (o *op) timeOut(a life.Action, r *store.Record, due store.Time, text string) (*store.Record, error) {
	now, err := o.step(a, r)
	if err != nil {
		return nil, err
	}
	o.end(&now)
	if err := o.put(a, r, &now, schemas.Event{Due: due.Time()}, store.Content{}); err != nil {
		return nil, err
	}
	if err := o.tell(r, noticeOf(a, &now, text)); err != nil {
		return nil, err
	}
	return &now, o.unblock(&now)
}

// leaseEnded renews the claim, makes the handoff available again, or ends it.
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
	return o.put(life.Requeue, r, &now, schemas.Event{Due: r.Lease.Time()}, store.Content{})
}

// renew lets a claim or a reservation go on that was to end.
func (o *op) renew(r *store.Record, due store.Time, prolong func(*store.Record)) error {
	now, err := o.step(life.Renew, r)
	if err != nil {
		return err
	}
	prolong(&now)
	return o.put(life.Renew, r, &now, schemas.Event{Due: due.Time()}, store.Content{})
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
	return o.put(life.Unreserve, r, &now, schemas.Event{Due: r.Reserved.Time()}, store.Content{})
}

// ready offers a handoff whose delay is over.
func (o *op) ready(r *store.Record) error {
	now, err := o.step(life.Ready, r)
	if err != nil {
		return err
	}
	now.Box, now.NotBefore = r.To, 0
	return o.put(life.Ready, r, &now, schemas.Event{Due: r.NotBefore.Time()}, store.Content{})
}

// end sets what every ended record has in common.
func (o *op) end(r *store.Record) {
	r.Ended, r.Lease, r.Reserved, r.Box, r.After, r.NeedsApproval = store.At(o.now), 0, 0, "", nil, false
}

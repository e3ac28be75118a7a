package delivery

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

// What is delivered to a session is marked before it is said. Where it then cannot be said, because the call is over or
// the client does not listen, the marks are taken back, so that it is delivered the next time.

const (
	// marksKept is how long it is remembered what was delivered to a session that does nothing any more.
	marksKept = 7 * 24 * time.Hour

	// marksRenewed is how often it is noted that a session still goes on.
	marksRenewed = 24 * time.Hour

	// marksLookedAt is how many other sessions are looked at in a delivery, to forget the old ones.
	marksLookedAt = 16
)

// mark marks what was not marked before, and has the result tell what that is, so that the caller can take exactly that
// back if it cannot say it.
func (d *Delivery) mark(m schemas.Marks) {
	fresh := schemas.Marks{
		Handoffs: added(&d.delivered.Handoffs, m.Handoffs),
		Notices:  added(&d.delivered.Notices, m.Notices),
		Reminded: added(&d.delivered.Reminded, m.Reminded),
	}
	if len(fresh.Handoffs)+len(fresh.Notices)+len(fresh.Reminded) > 0 {
		d.Marked, d.Out.Marked = true, &fresh
	}
}

// markFirst marks the first of what was found. The others are delivered another time.
func (d *Delivery) markFirst() {
	if len(d.found.Handoffs) > 0 {
		d.mark(schemas.Marks{Handoffs: d.found.Handoffs[:1]})
	} else {
		d.mark(schemas.Marks{Notices: d.found.Notices[:min(1, len(d.found.Notices))]})
	}
}

// added marks ids as seen, and gives those that were not before.
func added[ID ~uint64](seen *store.Seen, ids []ID) (fresh []ID) {
	for _, id := range ids {
		if seen.Add(uint64(id)) {
			fresh = append(fresh, id)
		}
	}
	return fresh
}

// takeBack takes the marks back of a delivery that did not reach the session. It is found again by the next event, and
// the waits of the session look again at once. A reminder that was not heard does not count as one. The error is
// invalid without marks; marks that are not there are passed over, so a repetition changes nothing.
func (d *Delivery) takeBack() error {
	marks := d.In.Undelivered
	if marks == nil {
		return schemas.Invalidf("unheard", "it is not said what was not heard")
	}
	handoffs := removed(&d.delivered.Handoffs, marks.Handoffs)
	notices := removed(&d.delivered.Notices, marks.Notices)
	reminded := removed(&d.delivered.Reminded, marks.Reminded)
	if reminded && d.delivered.InARow > 0 {
		d.delivered.InARow--
	}
	d.Marked = handoffs || notices || reminded
	d.Woke = d.Marked // so that the calls that wait look again
	return nil
}

// removed takes the marks of ids away, and tells whether there were any.
func removed[ID ~uint64](seen *store.Seen, ids []ID) (some bool) {
	for _, id := range ids {
		some = seen.Remove(uint64(id)) || some
	}
	return some
}

// keepMarks keeps what was delivered, if that is more than before, and else once a day, so that nothing is delivered
// again to a session that goes on. What was delivered to sessions that are long gone is forgotten meanwhile, for 16
// sessions at a time, so that no call pays for all of them.
func (d *Delivery) keepMarks(tx *store.Tx) error {
	used := d.delivered.At != 0 && d.Now.Sub(d.delivered.At.Time()) >= marksRenewed
	if !d.Marked && !used {
		return nil
	}
	d.delivered.At = store.At(d.Now)
	if err := tx.PutDelivered(d.Agent, d.In.Session, d.delivered); err != nil {
		return err
	}
	return tx.ForgetDelivered(d.Now.Add(-marksKept), d.Agent, d.In.Session, marksLookedAt)
}

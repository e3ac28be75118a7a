package delivery

import (
	"cmp"
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
// back if it cannot say it. A mark that was there before is none of this delivery, and is not taken back with it.
func (d *Delivery) mark(m schemas.Marks) {
	fresh := schemas.Marks{
		Handoffs: changed(m.Handoffs, d.delivered.Handoffs.Add),
		Notices:  changed(m.Notices, d.delivered.Notices.Add),
		Reminded: changed(m.Reminded, d.delivered.Reminded.Add),
	}
	if isAny(fresh) {
		d.Marked, d.Out.Marked = true, &fresh
	}
}

// isAny tells whether there is any mark.
func isAny(m schemas.Marks) bool { return len(m.Handoffs)+len(m.Notices)+len(m.Reminded) > 0 }

// changed are those ids whose mark was set, or taken away.
func changed[ID ~uint64](ids []ID, change func(uint64) bool) (done []ID) {
	for _, id := range ids {
		if change(uint64(id)) {
			done = append(done, id)
		}
	}
	return done
}

// markFirst marks the first of what was found. The others are delivered another time. A handoff comes before an answer.
func (d *Delivery) markFirst() {
	if len(d.found.Handoffs) > 0 {
		d.mark(schemas.Marks{Handoffs: d.found.Handoffs[:1]})
	} else {
		d.mark(schemas.Marks{Notices: d.found.Notices[:min(1, len(d.found.Notices))]})
	}
}

// takeBack takes the marks back of a delivery that did not reach the session. It is found again by the next event, and
// the waits of the session look again at once. A reminder that was not heard does not count as one. The error is
// invalid without marks; marks that are not there are passed over, so a repetition changes nothing.
func (d *Delivery) takeBack() error {
	marks := d.In.Undelivered
	if marks == nil {
		return schemas.Invalidf("unheard", "it is not said what was not heard")
	}
	gone := schemas.Marks{
		Handoffs: changed(marks.Handoffs, d.delivered.Handoffs.Remove),
		Notices:  changed(marks.Notices, d.delivered.Notices.Remove),
		Reminded: changed(marks.Reminded, d.delivered.Reminded.Remove),
	}
	if len(gone.Reminded) > 0 && d.delivered.InARow > 0 {
		d.delivered.InARow--
	}
	d.Marked = isAny(gone)
	d.Woke = d.Marked // so that the calls that wait look again
	return nil
}

// keepMarks keeps what was delivered, if that is more than before, and else once a day, so that nothing is delivered
// again to a session that goes on. What was delivered to sessions that are long gone is forgotten meanwhile, for 16
// sessions at a time, so that no call pays for all of them.
func (d *Delivery) keepMarks(rows Rows) error {
	used := d.delivered.At != 0 && d.Now.Sub(d.delivered.At.Time()) >= marksRenewed
	if !d.Marked && !used {
		return nil
	}
	d.delivered.At = store.At(d.Now)
	return cmp.Or(
		rows.PutDelivered(d.Agent, d.In.Session, d.delivered),
		rows.ForgetDelivered(d.Now.Add(-marksKept), d.Agent, d.In.Session, marksLookedAt),
	)
}

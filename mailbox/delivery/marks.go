package delivery

import (
	"cmp"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// A delivery marks its items before the server sends them. If the server cannot send them, because the call is over or
// the client does not listen, it removes the marks, so that the next delivery has them again.

const (
	// marksLifetime is how long the marks of an inactive session are kept.
	marksLifetime = 7 * 24 * time.Hour

	// marksRenewal is how often an active session renews the time of its marks.
	marksRenewal = 24 * time.Hour

	// maxExamined is the number of other sessions that one delivery examines for old marks.
	maxExamined = 16
)

// mark sets the marks that were not set before, and puts these into the result, so that the caller can remove exactly
// them if it cannot send the result. Earlier marks belong to earlier deliveries and stay.
func (d *Delivery) mark(m schemas.Marks) {
	fresh := schemas.Marks{
		Handoffs: changedIDs(m.Handoffs, d.delivered.Handoffs.Add),
		Notices:  changedIDs(m.Notices, d.delivered.Notices.Add),
		Reminded: changedIDs(m.Reminded, d.delivered.Reminded.Add),
	}
	if hasMarks(fresh) {
		d.MarksChanged, d.Out.Marked = true, &fresh
	}
}

// hasMarks reports whether there is any mark.
func hasMarks(m schemas.Marks) bool { return len(m.Handoffs)+len(m.Notices)+len(m.Reminded) > 0 }

// changedIDs returns the ids whose mark was set or removed.
func changedIDs[ID ~uint64](ids []ID, change func(uint64) bool) (done []ID) {
	for _, id := range ids {
		if change(uint64(id)) {
			done = append(done, id)
		}
	}
	return done
}

// markFirst marks the first found item; later deliveries have the others. A handoff comes before an answer.
func (d *Delivery) markFirst() {
	if len(d.found.Handoffs) > 0 {
		d.mark(schemas.Marks{Handoffs: d.found.Handoffs[:1]})
	} else {
		d.mark(schemas.Marks{Notices: d.found.Notices[:min(1, len(d.found.Notices))]})
	}
}

// removeMarks removes the marks of a delivery that did not reach the session. The next event finds the items again, and
// long polls of the session check at once. A lost reminder does not count. The error is invalid without marks.
// removeMarks ignores marks that are not set, so a repeat changes nothing.
func (d *Delivery) removeMarks() error {
	marks := d.In.Undelivered
	if marks == nil {
		return schemas.Invalidf("unheard", "it does not name the items that were not delivered")
	}
	gone := schemas.Marks{
		Handoffs: changedIDs(marks.Handoffs, d.delivered.Handoffs.Remove),
		Notices:  changedIDs(marks.Notices, d.delivered.Notices.Remove),
		Reminded: changedIDs(marks.Reminded, d.delivered.Reminded.Remove),
	}
	if len(gone.Reminded) > 0 && d.delivered.InARow > 0 {
		d.delivered.InARow--
	}
	d.MarksChanged = hasMarks(gone)
	d.WakePolls = d.MarksChanged // so that its long polls check again
	return nil
}

// storeMarks stores the marks if they changed, and else once a day, so that an active session keeps them. It also
// deletes the marks of sessions that are long inactive, at most 16 sessions per call, so that no call pays for all of
// them.
func (d *Delivery) storeMarks(rows Rows) error {
	used := d.delivered.At != 0 && d.Now.Sub(d.delivered.At.Time()) >= marksRenewal
	if !d.MarksChanged && !used {
		return nil
	}
	d.delivered.At = store.At(d.Now)
	return cmp.Or(
		rows.PutDelivered(d.Agent, d.In.Session, d.delivered),
		rows.ForgetDelivered(d.Now.Add(-marksLifetime), d.Agent, d.In.Session, maxExamined),
	)
}

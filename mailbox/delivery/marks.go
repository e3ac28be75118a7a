package delivery

import (
	"cmp"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// The server marks items as delivered before it sends them to the client. If it cannot send the items, because the call
// has ended or the client has disconnected, it removes the marks, so that the next delivery has the items again.

const (
	// marksLifetime is how long the marks of a session are kept after its last delivery.
	marksLifetime = 7 * 24 * time.Hour

	// marksRenewal is the age at which the marks of a session that is still active are stored again with a new time.
	marksRenewal = 24 * time.Hour

	// maxExamined is the number of other sessions whose marks one delivery checks, to delete old marks.
	maxExamined = 16
)

// markDelivered marks items as delivered. The marks that were not set before are in the result, so that the caller can
// remove exactly these marks if it cannot send the result. Marks of earlier deliveries stay.
func (d *Delivery) markDelivered(m schemas.Marks) {
	fresh := schemas.Marks{
		Handoffs: keepChangedIDs(m.Handoffs, d.delivered.Handoffs.Add),
		Notices:  keepChangedIDs(m.Notices, d.delivered.Notices.Add),
		Reminded: keepChangedIDs(m.Reminded, d.delivered.Reminded.Add),
	}
	if hasAnyMark(fresh) {
		d.MarksChanged, d.Out.Marked = true, &fresh
	}
}

// hasAnyMark reports whether there is any mark.
func hasAnyMark(m schemas.Marks) bool { return len(m.Handoffs)+len(m.Notices)+len(m.Reminded) > 0 }

// keepChangedIDs returns the ids whose mark was set or removed.
func keepChangedIDs[ID ~uint64](ids []ID, change func(uint64) bool) (done []ID) {
	for _, id := range ids {
		if change(uint64(id)) {
			done = append(done, id)
		}
	}
	return done
}

// markFirstItem marks only the first found item as delivered: the first handoff, or the first answer if there is no
// handoff. Later deliveries show the other items.
func (d *Delivery) markFirstItem() {
	if len(d.found.Handoffs) > 0 {
		d.markDelivered(schemas.Marks{Handoffs: d.found.Handoffs[:1]})
	} else {
		d.markDelivered(schemas.Marks{Notices: d.found.Notices[:min(1, len(d.found.Notices))]})
	}
}

// removeMarks removes the marks of a delivery that did not reach the session. The session gets the items again at its
// next event, and its long polls look for the items at once. A reminder that did not arrive does not count towards
// [maxReminders]. The error is invalid if the call names no marks. removeMarks ignores marks that are not set, so a
// repeat changes nothing.
func (d *Delivery) removeMarks() error {
	marks := d.In.Undelivered
	if marks == nil {
		return schemas.Invalidf("unheard", "it does not name the items that were not delivered")
	}
	gone := schemas.Marks{
		Handoffs: keepChangedIDs(marks.Handoffs, d.delivered.Handoffs.Remove),
		Notices:  keepChangedIDs(marks.Notices, d.delivered.Notices.Remove),
		Reminded: keepChangedIDs(marks.Reminded, d.delivered.Reminded.Remove),
	}
	if len(gone.Reminded) > 0 && d.delivered.InARow > 0 {
		d.delivered.InARow--
	}
	d.MarksChanged = hasAnyMark(gone)
	d.WakePolls = d.MarksChanged // so that its long polls check again
	return nil
}

// storeMarks stores the marks of the session if they changed. If they did not change, it stores them once a day with
// the new time, so that an active session keeps its marks. When it stores, it also deletes the marks of sessions that
// have been inactive for a week. It looks at no more than 16 sessions, so that one call does not take long.
func (d *Delivery) storeMarks(rows Rows) error {
	used := d.delivered.At != 0 && d.Now.Sub(d.delivered.At.Time()) >= marksRenewal
	if !d.MarksChanged && !used {
		return nil
	}
	d.delivered.At = store.TimeOf(d.Now)
	return cmp.Or(
		rows.PutDeliveredItems(d.Agent, d.In.Session, d.delivered),
		rows.DeleteOldDeliveries(d.Now.Add(-marksLifetime), d.Agent, d.In.Session, maxExamined),
	)
}

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
	// marksLifetime is how long the server keeps the marks of a session after its last delivery.
	marksLifetime = 7 * 24 * time.Hour

	// marksRenewal is the time after which unchanged marks are stored again. It keeps the marks of an active session
	// from being deleted.
	marksRenewal = 24 * time.Hour

	// maxExaminedSessions is the number of other sessions whose marks one delivery checks for their age. It keeps each
	// delivery short.
	maxExaminedSessions = 16
)

// markDelivered marks items as delivered. The result of the call names the new marks, so that the caller can remove
// exactly these marks if it cannot show the result.
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

// markFirstItem marks only the first item as delivered: the first handoff, or the first answer if there is no handoff.
func (d *Delivery) markFirstItem() {
	if len(d.found.Handoffs) > 0 {
		d.markDelivered(schemas.Marks{Handoffs: d.found.Handoffs[:1]})
	} else {
		d.markDelivered(schemas.Marks{Notices: d.found.Notices[:min(1, len(d.found.Notices))]})
	}
}

// removeMarks removes the marks of a delivery that did not reach the session, so that the session gets the items again.
// A reminder that did not reach the session does not count towards [maxReminders]. The error is invalid if the call
// names no marks. A repeat changes nothing.
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

// storeMarks stores the marks of the session if they changed or are a day old. It then also deletes the marks of
// sessions without a delivery for a week, and checks at most [maxExaminedSessions] sessions.
func (d *Delivery) storeMarks(rows *store.RowTx) error {
	used := d.delivered.At != 0 && d.Now.Sub(d.delivered.At.Time()) >= marksRenewal
	if !d.MarksChanged && !used {
		return nil
	}
	d.delivered.At = store.TimeOf(d.Now)
	return cmp.Or(
		rows.PutDeliveredItems(d.Agent, d.In.Session, d.delivered),
		rows.DeleteOldDeliveries(d.Now.Add(-marksLifetime), d.Agent, d.In.Session, maxExaminedSessions),
	)
}

package operation

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// applyNextTimer applies one due change of time to a handoff. More changes may be due: a lease and a deadline that
// ended together are two events. The caller makes sure that one is due.
//
// The events of deadlines, leases, reservations and delays record their due time. So the registry shows when a lease
// ended and when the server noticed.
//
// If several timers are due, their order counts. The deadline comes first: it ends the handoff and all its other
// timers, so nobody claims an overdue handoff. The end of a lease comes before the notice of silence, which makes no
// sense without a claim. Deferred duties concern only ended handoffs, which have no other timer.
func (o *Op) applyNextTimer(r *store.Record) error {
	if len(r.Owes) > 0 {
		return o.resumeDuties(r)
	}
	for i, at := range timers(r) {
		if at != 0 && at <= store.At(o.Now) {
			return o.Rules.ApplyTimer(Timer(i), r)
		}
	}
	return fmt.Errorf("%s is due, and nothing is to be done", r.ID)
}

// dueLimit bounds how many handoffs the clock changes within one operation, so that no caller waits long for overdue
// changes of others. The next operation does the rest.
const dueLimit = 256

// dueTime bounds the same by time, for handoffs with many consequences.
const dueTime = 100 * time.Millisecond

// applyDue applies changes that are due by time: leases, reservations, delays and deadlines that ended, and deferred
// duties, the longest overdue first. Every operation begins with it. It handles at most [dueLimit] handoffs. It stops
// earlier when their consequences visited [MaxSpread] others, when the rules have used up their budget, see
// [Rules.ClockBudgetSpent], and after [dueTime]. The next operation does the rest, and [Op.upToDate] makes sure that no
// caller acts on an overdue handoff. If a change fails, applyDue logs the handoff, undoes all its changes, and goes on
// with the others.
func (o *Op) applyDue() error {
	due, err := reading.Collect(reading.AtMost(dueLimit, o.Due(o.Now)))
	if err != nil {
		return err
	}
	applied, enough, begun := 0, false, o.env.Now()
	return o.ActingAs(ClockCaller, func() error {
		for _, id := range due {
			if enough || o.spreadLeft == 0 || applied > 0 && o.env.Now().Sub(begun) > dueTime {
				o.moreDue = true
				return nil
			}
			err := o.TryPart(func() error { return o.applyDueTo(id) })
			enough = o.Rules.ClockBudgetSpent()
			if err != nil {
				// One damaged handoff must not stop the others: it stays as it is.
				o.env.Logger.Error("time could not be applied", slog.String("handoff", id.String()), slog.Any("error", err))
				continue
			}
			applied++
		}
		o.moreDue = len(due) == dueLimit && applied > 0
		return nil
	})
}

// TryPart runs fn and its consequences as a part of the operation that may fail alone. After an error it undoes all
// changes and wakeups of the part, and the operation goes on. So one damaged record does not stop every call. The part
// sees all earlier writes of the operation.
//
// While the part runs, the operation has the transaction and the view of the part. A part may contain a part. TryPart
// returns the error as it is and logs nothing.
func (o *Op) TryPart(fn func() error) error {
	tx, before := o.tx, o.effects
	defer o.useTransaction(tx)
	err := tx.Try(func(part *store.Tx) error {
		o.useTransaction(part)
		return o.withConsequences(fn)
	})
	if err != nil {
		o.effects = before
	}
	return err
}

// applyDueTo applies all due changes of one handoff, if it is still due: consequences of another handoff may have
// applied them since the list was made. It leaves nothing due, because waiters sleep past overdue times. A row of time
// without a record is damage, and an error.
func (o *Op) applyDueTo(id schemas.ID) error {
	r, err := o.Record(id)
	if r == nil {
		return cmp.Or(err, fmt.Errorf("there is no record of %s", id))
	}
	_, err = o.upToDate(r)
	return err
}

// upToDate applies all due changes of a record and returns the record as it is then. One operation may not apply
// everything that is due, and no caller may act on an overdue record. The error is that of the change that failed; the
// caller then leaves this handoff alone.
func (o *Op) upToDate(r *store.Record) (*store.Record, error) {
	for o.isDue(r) {
		err := o.asClock(func() error { return o.applyNextTimer(r) })
		if err != nil {
			return nil, err
		}
		if r, err = o.Record(r.ID); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// asClock runs fn and its consequences as the clock. Sends of rules meanwhile count as sends because of time, see
// [Op.Timed].
func (o *Op) asClock(fn func() error) error {
	was := o.Timed
	defer func() { o.Timed = was }()
	o.Timed = true
	return o.withConsequences(func() error { return o.ActingAs(ClockCaller, fn) })
}

// UsableRecord returns the record of a handoff with all due changes applied. It returns nil if the handoff is missing
// or damaged, or if a due change fails. So callers that visit many handoffs do not stop at one.
//
// It may commit changes of time, so a record that the caller read before may be stale afterwards. It logs each handoff
// that it passes over, once for each call.
func (o *Op) UsableRecord(id schemas.ID) *store.Record {
	r, err := o.Record(id)
	if err == nil && r != nil && o.isDue(r) {
		err = o.TryPart(func() (err error) {
			r, err = o.upToDate(r)
			return err
		})
	}
	if err != nil {
		o.env.Logger.Error("a handoff was passed over", slog.String("handoff", id.String()), slog.Any("error", err))
		return nil
	}
	return r
}

// isDue tells whether the clock has to change a record. Deferred duties wait if this operation has used up its visits,
// so a read shows the record as it is. A damaged record stays due, and each operation tries again.
func (o *Op) isDue(r *store.Record) bool {
	return r.Wakes != 0 && r.Wakes <= store.At(o.Now) && (len(r.Owes) == 0 || o.spreadLeft > 0)
}

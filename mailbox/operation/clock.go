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

// applyNextTimer applies the first change that is due by time to a handoff. Its caller makes sure that a change is due.
// Each change has its own event. The event records the due time, so the registry shows when a lease ended and when the
// server noticed the end.
//
// If several timers are due, the order matters. The deadline comes first, because it ends the handoff and all its other
// timers. The end of a lease comes before the notice about a silent holder, because without a claim there is no holder.
// Only ended handoffs have deferred consequences, and an ended handoff has no timer.
func (o *Op) applyNextTimer(r *store.Record) error {
	if len(r.Owes) > 0 {
		return o.resumeConsequences(r)
	}
	for i, at := range timerEnds(r) {
		if at != 0 && at <= store.TimeOf(o.Now) {
			return o.Rules.ApplyTimer(Timer(i), r)
		}
	}
	return fmt.Errorf("%s is due, and nothing is to be done", r.ID)
}

// maxDueHandoffs limits the number of handoffs that the clock changes within one operation, so that no caller waits
// long for overdue changes of other handoffs. The next operation applies the rest.
const maxDueHandoffs = 256

// maxDueDuration limits the time in which the clock changes handoffs within one operation. This limit matters for
// handoffs with many consequences.
const maxDueDuration = 100 * time.Millisecond

// applyDueChanges applies changes that are due by time, the longest overdue first: ended leases, reservations, delays
// and deadlines, and deferred consequences. Every operation begins with it. It stops after [maxDueHandoffs] handoffs,
// after [maxDueDuration], after [MaxVisitedHandoffs] visits of other handoffs, or when [Rules.ClockBudgetSpent] returns
// true. The next operation applies the rest. If a change fails, applyDueChanges logs the handoff, undoes all changes of
// that handoff, and goes on with the next handoff.
func (o *Op) applyDueChanges() error {
	due, err := reading.Collect(reading.AtMost(maxDueHandoffs, o.DueHandoffs(o.Now)))
	if err != nil {
		return err
	}
	applied, enough, begun := 0, false, o.env.Now()
	return o.RunAs(ClockCaller, func() error {
		for _, id := range due {
			if enough || o.visitsLeft == 0 || applied > 0 && o.env.Now().Sub(begun) > maxDueDuration {
				o.moreDue = true
				return nil
			}
			err := o.TryPart(func() error { return o.applyDueChangesOf(id) })
			enough = o.Rules.ClockBudgetSpent()
			if err != nil {
				// One damaged handoff must not stop the others: applyDueChanges leaves the damaged handoff as it is.
				o.env.Logger.Error("time could not be applied", slog.String("handoff", id.String()), slog.Any("error", err))
				continue
			}
			applied++
		}
		o.moreDue = len(due) == maxDueHandoffs && applied > 0
		return nil
	})
}

// TryPart runs fn and its consequences as a part of the operation that may fail without failing the operation. After an
// error TryPart undoes all changes and wakeups of the part, and the operation goes on. So one damaged record does not
// stop every call. The part sees all earlier writes of the operation.
//
// While the part runs, o uses the nested transaction of the part. A part may contain a part. TryPart returns the error
// of fn unchanged and logs nothing.
func (o *Op) TryPart(fn func() error) error {
	tx, before := o.tx, o.commitEffects
	defer o.useTransaction(tx)
	err := tx.TryPart(func(part *store.Tx) error {
		o.useTransaction(part)
		return o.runWithConsequences(fn)
	})
	if err != nil {
		o.commitEffects = before
	}
	return err
}

// applyDueChangesOf applies all due changes of one handoff. It does nothing if the handoff is no longer due, for
// example because consequences of another handoff already applied the changes. It applies every due change, because
// waiting calls set their alarm only for times in the future. It returns an error if the handoff has no record, because
// then the store is damaged.
func (o *Op) applyDueChangesOf(id schemas.ID) error {
	r, err := o.Record(id)
	if r == nil {
		return cmp.Or(err, fmt.Errorf("there is no record of %s", id))
	}
	_, err = o.bringUpToDate(r)
	return err
}

// bringUpToDate applies all due changes of a record and returns the record after these changes. Callers need it because
// the start of an operation applies only a limited number of due changes. If a change fails, bringUpToDate returns the
// error, and the caller leaves this handoff alone.
func (o *Op) bringUpToDate(r *store.Record) (*store.Record, error) {
	for o.isDue(r) {
		err := o.runAsClock(func() error { return o.applyNextTimer(r) })
		if err != nil {
			return nil, err
		}
		if r, err = o.Record(r.ID); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// runAsClock runs fn and its consequences with the clock as the caller. While fn runs, [Op.Timed] is true, so handoffs
// that rules send count as sent by the clock and not by a call.
func (o *Op) runAsClock(fn func() error) error {
	was := o.Timed
	defer func() { o.Timed = was }()
	o.Timed = true
	return o.runWithConsequences(func() error { return o.RunAs(ClockCaller, fn) })
}

// UsableRecord returns the record of a handoff with all due changes applied. It returns nil and logs the handoff if the
// handoff is missing or damaged, or if a due change fails. So callers that visit many handoffs do not stop at a damaged
// handoff. UsableRecord may commit due changes, so a copy of the record that the caller read before may be stale.
func (o *Op) UsableRecord(id schemas.ID) *store.Record {
	r, err := o.Record(id)
	if err == nil && r != nil && o.isDue(r) {
		err = o.TryPart(func() (err error) {
			r, err = o.bringUpToDate(r)
			return err
		})
	}
	if err != nil {
		o.env.Logger.Error("a handoff was passed over", slog.String("handoff", id.String()), slog.Any("error", err))
		return nil
	}
	return r
}

// isDue reports whether a record has to change because of time. After [MaxVisitedHandoffs] visits in the operation, a
// record with deferred consequences does not count as due, because only a later operation can carry out the
// consequences. A damaged record stays due, and each operation tries again.
func (o *Op) isDue(r *store.Record) bool {
	return r.Wakes != 0 && r.Wakes <= store.TimeOf(o.Now) && (len(r.Owes) == 0 || o.visitsLeft > 0)
}

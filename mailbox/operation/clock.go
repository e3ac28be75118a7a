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

// applyNextTimer applies one thing that the clock has changed about a handoff. More may be due of it then: a lease and a
// deadline that ended together are two events, and the deadline comes first, since nobody is to claim what is over. The
// caller made sure that something is due.
//
// The events of deadlines, leases, reservations and delays say when they were due. So the registry tells apart when a
// lease ended and when somebody noticed.
//
// Where several are due the order of the cases counts. A deadline ends the handoff, and all other times with it. The
// end of a lease comes before the word about silence, which has no sense without a claim. What is owed concerns ended
// handoffs alone, for which no other time runs.
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

// dueLimit bounds what the clock changes within one operation, so that no caller waits long for what others left due;
// the rest is due at the next.
const dueLimit = 256

// dueTime bounds the same by time, where much follows from each.
const dueTime = 100 * time.Millisecond

// applyDue applies what the clock has changed: leases, reservations, delays and deadlines that ended, and what was
// deferred, the longest due first. Every operation begins with it. It applies 256 handoffs at most, and stops earlier
// when what follows from them went through [MaxSpread] others, the rules sent [mostRuled], or [dueTime] is over; the
// rest is due at the next operation, and [Op.upToDate] sees to it that nobody acts on what is over. A handoff whose time
// cannot be applied is logged and left as it is, with all that was begun for it undone: it stops no other.
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

// TryPart does a part of the operation, with all that follows from it, that may fail alone: then everything it changed is
// undone, whoever was to be woken is not, and the operation goes on. It is what keeps one damaged record from stopping
// every call. The part sees what the operation wrote before it.
//
// The transaction and the view of the operation are those of the part while it runs. A part within a part is allowed.
// The log is the caller's business: the error is returned as it is.
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

// applyDueTo applies all that the clock has changed about one handoff, if it is still due: what followed from another one
// may have applied it since the list was made. Nothing due is left, because whoever waits sleeps past what is overdue.
// A row of time without a record is damage, and an error.
func (o *Op) applyDueTo(id schemas.ID) error {
	r, err := o.Record(id)
	if r == nil {
		return cmp.Or(err, fmt.Errorf("there is no record of %s", id))
	}
	_, err = o.upToDate(r)
	return err
}

// upToDate is a record after what the clock has changed about it: more may be due than one operation applies, and none
// acts on a record whose time is over. It takes as many steps as are due. The error is that of the step that could not
// be applied; the caller then leaves this handoff alone.
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

// asClock does a part of the operation as the clock, with all that follows from it. What rules send meanwhile they send
// because of time: see [Op.Timed].
func (o *Op) asClock(fn func() error) error {
	was := o.Timed
	defer func() { o.Timed = was }()
	o.Timed = true
	return o.withConsequences(func() error { return o.ActingAs(ClockCaller, fn) })
}

// UsableRecord is the record of a handoff as it is now; nil for one that is missing or damaged, or that time cannot
// change: where many are gone through, it stops no other.
//
// It may commit, since it applies the clock: a record that was read before by the caller may be old afterwards. The log
// has what was passed over, once for each look.
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

// isDue tells whether the clock is to change a record. What it owes waits when this operation did as much as one may,
// so a read of such a record shows it as it is. What is damaged and due stays so, and each operation tries again.
func (o *Op) isDue(r *store.Record) bool {
	return r.Wakes != 0 && r.Wakes <= store.At(o.Now) && (len(r.Owes) == 0 || o.spreadLeft > 0)
}

package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// MaxSpread is how many other handoffs the consequences in one transaction may visit. It bounds how long one call holds
// up all other writers: the store has one writer at a time.
const MaxSpread = 1000

// Outcome holds the facts about consequences that the result of a call reports. It covers direct consequences of the
// call's own happenings, and not consequences of those.
type Outcome struct {
	Successor *store.Record    // the handoff that continues the work, nil for none
	Forwarded *schemas.SendOut // the send that a completion caused, nil for none
	Unsent    string           // why that send failed, "" if it did not
}

// duty is a consequence of a happening that is still to be carried out. A duty that visits many handoffs remembers the
// last of them, so that it can stop after any and go on behind it.
type duty struct {
	of    *Happening
	do    life.Consequence
	after schemas.ID // the last handoff that it visited, 0 for none
}

// cascade carries out consequences and their consequences. Its duties are a stack: a consequence of a duty goes on top,
// so it is carried out before the older duties. The golden files and the registry show this order.
type cascade struct {
	requested []*Happening // happenings of the call itself, which the outcome covers
	outcome   Outcome
	duties    []duty // the next one is the last
	deferred  []duty // duties that are too much for this transaction
}

// RunConsequences carries out the consequences of all happenings so far, as the table of [life.ConsequencesOf] says, and the
// consequences of those. [Engine.Update] calls it at the end of each operation. An operation whose result reports the
// outcome calls it itself. Each consequence runs in the name of the caller that its happening has. Consequences of a
// consequence run right after it, before the next one.
//
// It always ends: a new handoff has no consequence but a request for approval, and a handoff ends only once.
//
// One transaction visits at most [MaxSpread] other handoffs. RunConsequences notes the remaining duties on the record
// that caused them, due at once, and commits them in the same transaction, so none is lost, see [Op.resumeDuties]. An
// error undoes the whole operation, so no action takes effect without its consequences.
func (o *Op) RunConsequences() (Outcome, error) {
	c := &cascade{requested: o.happened}
	err := o.runDuties(c)
	return c.outcome, err
}

// runDuties carries out the duties of a cascade, and all duties that come of them, until none is left. Then it defers
// the duties that were too much. It stops at the first error, and the caller undoes the operation.
func (o *Op) runDuties(c *cascade) error {
	for {
		c.duties = append(c.duties, o.newDuties()...)
		last := len(c.duties) - 1
		if last < 0 {
			return o.deferDuties(c.deferred)
		}
		next := c.duties[last]
		c.duties = c.duties[:last]
		if err := o.ActingAs(next.of.By, func() error { return o.runDuty(c, next) }); err != nil {
			return err
		}
	}
}

// newDuties returns the consequences of all happenings since its last call, the first duty last. It evaluates each
// condition of the table here, once, from the happening.
func (o *Op) newDuties() (duties []duty) {
	for _, h := range o.happened {
		for _, row := range life.ConsequencesOf(h.Action) {
			if !conditions[row.If](h) {
				continue
			}
			for _, c := range row.Then {
				duties = append(duties, duty{of: h, do: c})
			}
		}
	}
	o.happened = nil
	slices.Reverse(duties)
	return duties
}

// runDuty carries out one duty. A duty that visits many handoffs handles the next one and goes back onto the stack. So
// the consequences for that handoff run before the duty visits another. When the transaction has used up its visits,
// runDuty adds the duty to the deferred ones.
func (o *Op) runDuty(c *cascade, d duty) error {
	if !d.do.Spreads() {
		return o.runOwnDuty(c, d)
	}
	others, ended := o.Rules.Affected(d.do, d.of.Now)
	for id, err := range o.Oldest(others, d.after) {
		switch {
		case err != nil:
			return err
		case o.spreadLeft == 0:
			c.deferred = append(c.deferred, d)
			return nil
		}
		o.spreadLeft--
		d.after = id
		c.duties = append(c.duties, d)
		if r := o.UsableRecord(id); r != nil && (ended || !r.Status.Ended()) {
			return o.Rules.RunFor(d.do, r, d.of.Now)
		}
		return nil // a handoff that is unreadable, or ended meanwhile, stops no other
	}
	return nil
}

// runOwnDuty carries out a duty that concerns the handoff itself.
func (o *Op) runOwnDuty(c *cascade, d duty) error {
	came, err := o.Rules.RunConsequence(d.do, d.of)
	if slices.Contains(c.requested, d.of) {
		c.outcome.Successor = cmp.Or(c.outcome.Successor, came.Successor)
		c.outcome.Forwarded = cmp.Or(c.outcome.Forwarded, came.Forwarded)
		c.outcome.Unsent = cmp.Or(c.outcome.Unsent, came.Unsent)
	}
	return err
}

// deferDuties notes each deferred duty on the record that caused it. The note is committed in the same transaction, so
// no duty is lost if the process ends right after. The record may have ended; it stays due until [Op.resumeDuties] has
// carried out its duties.
func (o *Op) deferDuties(owed []duty) error {
	return o.ActingAs(ClockCaller, func() error {
		for _, d := range owed {
			r, err := o.Record(d.of.Now.ID)
			if err != nil {
				return err
			}
			err = o.Change(&Happening{Action: life.Defer}, r, func(now *store.Record) {
				now.Owes = append(now.Owes, store.Debt{Do: string(d.do), After: d.after})
			})
			if err != nil {
				return err
			}
			o.ContinueLater(r.ID)
		}
		return nil
	})
}

// resumeDuties carries out the duties that are noted on a record, in the name of the clock. Such a record stays due
// until all of them are done. The call that deferred the duties resumes them in transactions of their own before it
// returns. If its process ends first, the next call of any caller resumes them before its own work. resumeDuties
// removes the notes and carries out the duties in one transaction, so each handoff is visited once; it defers again if
// the rest is again too much.
func (o *Op) resumeDuties(r *store.Record) error {
	h := &Happening{Action: life.Resume}
	err := o.Change(h, r, func(now *store.Record) {
		now.Owes = slices.DeleteFunc(now.Owes, func(d store.Debt) bool { return d.Leave == "" })
	})
	if err != nil {
		return err
	}
	c := &cascade{}
	for _, debt := range slices.Backward(r.Owes) {
		if debt.Leave != "" {
			continue
		}
		if err := o.Rules.BeforeResume(h, debt); err != nil {
			return err
		}
		c.duties = append(c.duties, duty{of: h, do: life.Consequence(debt.Do), after: debt.After})
	}
	return o.runDuties(c)
}

// withConsequences runs fn and all consequences of fn at once. Consequences that the operation has collected so far stay queued. The
// clock uses it to end an expired lease in the middle of another operation.
func (o *Op) withConsequences(fn func() error) error {
	before := o.happened
	defer func() { o.happened = before }()
	o.happened = nil
	if err := fn(); err != nil {
		return err
	}
	_, err := o.RunConsequences()
	return err
}

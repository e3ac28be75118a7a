package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// MaxSpread is how many other handoffs one transaction goes through for what follows from what happened in it. It
// bounds how long one call can hold up all other writers, of which there is one at a time.
const MaxSpread = 1000

// Outcome is what the result of an operation says of what followed from it. Only what followed from the happening that
// the caller asked for counts, not what followed from that in its turn.
type Outcome struct {
	Successor *store.Record    // the handoff that goes on with the work, nil for none
	Forwarded *schemas.SendOut // what a completion passed on, nil for nothing
	Unsent    string           // why it could not be passed on, "" where it was
}

// duty is one consequence of a happening that is yet to be carried out. One that goes through many handoffs remembers
// the last of them, so that it can be interrupted after any and taken up behind it.
type duty struct {
	of    *Happening
	do    life.Consequence
	after schemas.ID // the last handoff that it went through, 0 for none
}

// cascade is all that follows from what happened. Its duties are a stack: what follows from a duty is put on top, so it
// is carried out before the duties that were there. This order is part of what the golden files and the registry show.
type cascade struct {
	requested []*Happening // of which the outcome tells
	outcome   Outcome
	duties    []duty // the next one is the last
	deferred  []duty // too much for one transaction
}

// RunConsequences carries out what follows from what happened so far, as the table of [life.Follows] says, and what follows from
// that in its turn. [Service.update] calls it at the end of each operation; an operation whose result tells of the
// outcome calls it itself. Each consequence is carried out in the name of whoever did what it follows from. What
// follows from a consequence comes right after it, before the next one.
//
// It ends, because a handoff that is made brings nothing with it but a request for approval, and a handoff ends only
// once.
//
// One transaction goes through [MaxSpread] other handoffs at most. What is left then is noted on the record from whose
// change it follows, as due at once, and committed with it: so it is not lost, see [Op.resumeDuties]. An error undoes the
// whole operation, so an action never takes effect without its consequences.
func (o *Op) RunConsequences() (Outcome, error) {
	c := &cascade{requested: o.happened}
	err := o.runDuties(c)
	return c.outcome, err
}

// runDuties carries out the duties of a cascade, and those that come of it, until none is left. Those that are owed by
// then are put off. The first error ends it, and the caller undoes what was done.
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

// newDuties looks up what follows from what happened since it was called last, the first duty last. A condition of the
// table is judged here, once, by what the happening says.
func (o *Op) newDuties() (duties []duty) {
	for _, h := range o.happened {
		for _, row := range life.Follows(h.Action) {
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

// runDuty carries out one duty. One that goes through many handoffs does so for the next of them, and comes again behind it:
// so what follows for that handoff is carried out before the next one is looked at. When nothing is left of what this
// transaction may go through, the duty is owed.
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
		return nil // one that cannot be read, or that has ended meanwhile, stops no other
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

// deferDuties notes on its record what follows from it and is too much for this transaction. It is committed in the same
// transaction, so nothing is forgotten if the process ends right after. The record has ended, but is due from now on
// until [Op.resumeDuties] has done all of it.
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

// resumeDuties goes on with what was put off, in the name of the clock. A record that owes something is due until that is
// done. The call that put it off goes on with it in transactions of its own before it returns; where its process ends
// before, the next call of anybody does, before all else. What the record owed is taken off and carried out in one
// transaction, so each handoff is gone through once; what is too much again is put off again.
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

package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// MostFollow is how many other handoffs one transaction goes through for what follows from what happened in it. It
// bounds how long one call can hold up all other writers, of which there is one at a time.
const MostFollow = 1000

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
	asked   []*Happening // of which the outcome tells
	outcome Outcome
	duties  []duty // the next one is the last
	owed    []duty // too much for one transaction
}

// Follow carries out what follows from what happened so far, as the table of [life.Follows] says, and what follows from
// that in its turn. [Service.update] calls it at the end of each operation; an operation whose result tells of the
// outcome calls it itself. Each consequence is carried out in the name of whoever did what it follows from. What
// follows from a consequence comes right after it, before the next one.
//
// It ends, because a handoff that is made brings nothing with it but a request for approval, and a handoff ends only
// once.
//
// One transaction goes through [MostFollow] other handoffs at most. What is left then is noted on the record from whose
// change it follows, as due at once, and committed with it: so it is not lost, see [Op.resume]. An error undoes the
// whole operation, so an action never takes effect without its consequences.
func (o *Op) Follow() (Outcome, error) {
	c := &cascade{asked: o.happened}
	err := o.carryOut(c)
	return c.outcome, err
}

// carryOut carries out the duties of a cascade, and those that come of it, until none is left. Those that are owed by
// then are put off. The first error ends it, and the caller undoes what was done.
func (o *Op) carryOut(c *cascade) error {
	for {
		c.duties = append(c.duties, o.newDuties()...)
		last := len(c.duties) - 1
		if last < 0 {
			return o.putOff(c.owed)
		}
		next := c.duties[last]
		c.duties = c.duties[:last]
		if err := o.ActingAs(next.of.By, func() error { return o.do(c, next) }); err != nil {
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

// do carries out one duty. One that goes through many handoffs does so for the next of them, and comes again behind it:
// so what follows for that handoff is carried out before the next one is looked at. When nothing is left of what this
// transaction may go through, the duty is owed.
func (o *Op) do(c *cascade, d duty) error {
	if !d.do.Spreads() {
		return o.doHere(c, d)
	}
	others, ended := o.Rules.Across(d.do, d.of.Now)
	for id, err := range o.Oldest(others, d.after) {
		switch {
		case err != nil:
			return err
		case o.left == 0:
			c.owed = append(c.owed, d)
			return nil
		}
		o.left--
		d.after = id
		c.duties = append(c.duties, d)
		if r := o.Usable(id); r != nil && (ended || !r.Status.Ended()) {
			return o.Rules.Each(d.do, r, d.of.Now)
		}
		return nil // one that cannot be read, or that has ended meanwhile, stops no other
	}
	return nil
}

// doHere carries out a duty that concerns the handoff itself.
func (o *Op) doHere(c *cascade, d duty) error {
	came, err := o.Rules.Follow(d.do, d.of)
	if slices.Contains(c.asked, d.of) {
		c.outcome.Successor = cmp.Or(c.outcome.Successor, came.Successor)
		c.outcome.Forwarded = cmp.Or(c.outcome.Forwarded, came.Forwarded)
		c.outcome.Unsent = cmp.Or(c.outcome.Unsent, came.Unsent)
	}
	return err
}

// putOff notes on its record what follows from it and is too much for this transaction. It is committed in the same
// transaction, so nothing is forgotten if the process ends right after. The record has ended, but is due from now on
// until [Op.resume] has done all of it.
func (o *Op) putOff(owed []duty) error {
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
			o.GoesOn(r.ID)
		}
		return nil
	})
}

// resume goes on with what was put off, in the name of the clock. A record that owes something is due until that is
// done. The call that put it off goes on with it in transactions of its own before it returns; where its process ends
// before, the next call of anybody does, before all else. What the record owed is taken off and carried out in one
// transaction, so each handoff is gone through once; what is too much again is put off again.
func (o *Op) resume(r *store.Record) error {
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
		if err := o.Rules.Resumed(h, debt); err != nil {
			return err
		}
		c.duties = append(c.duties, duty{of: h, do: life.Consequence(debt.Do), after: debt.After})
	}
	return o.carryOut(c)
}

// apart runs fn and all consequences of fn at once. Consequences that the operation has collected so far stay queued. The
// clock uses it to end an expired lease in the middle of another operation.
func (o *Op) apart(fn func() error) error {
	before := o.happened
	defer func() { o.happened = before }()
	o.happened = nil
	if err := fn(); err != nil {
		return err
	}
	_, err := o.Follow()
	return err
}

package mailbox

import (
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// mostFollow is how many other handoffs one transaction goes through for what follows from what happened in it.
const mostFollow = 1000

// outcome is what the result of an operation says of what followed from it.
type outcome struct {
	successor *store.Record    // the handoff that goes on with the work, nil for none
	forwarded *schemas.SendOut // what a completion passed on, nil for nothing
}

// duty is one consequence of a happening that is yet to be carried out.
type duty struct {
	of    *happening
	do    life.Consequence
	after schemas.ID // the last handoff that it went through, 0 for none
}

// cascade is all that follows from what happened.
type cascade struct {
	asked   []*happening // of which the outcome tells
	outcome outcome
	duties  []duty // the next one is the last
	owed    []duty // too much for one transaction
}

// follow carries out what follows from what happened so far, as the table of [life.Follows] says, and what follows
// from that in its turn. [Service.update] calls it at the end of each operation; an operation whose result tells of
// the outcome calls it itself. Each consequence is carried out in the name of whoever did what it follows from. What
// follows from a consequence comes right after it, before the next one.
//
// One transaction goes through [mostFollow] other handoffs at most. What is left then is noted on the record from
// whose change it follows, as due at once, and committed with it: so it is not lost, see [op.resume].
func (o *op) follow() (outcome, error) {
	c := &cascade{asked: o.happened}
	err := o.carryOut(c)
	return c.outcome, err
}

// carryOut carries out the duties of a cascade, and those that come of it, until none is left.
func (o *op) carryOut(c *cascade) error {
	for {
		c.duties = append(c.duties, o.newDuties()...)
		last := len(c.duties) - 1
		if last < 0 {
			return o.putOff(c.owed)
		}
		next := c.duties[last]
		c.duties = c.duties[:last]
		if err := o.actingAs(next.of.by, func() error { return o.do(c, next) }); err != nil {
			return err
		}
	}
}

// newDuties looks up what follows from what happened since it was called last, the first duty last.
func (o *op) newDuties() (duties []duty) {
	for _, h := range o.happened {
		for _, row := range life.Follows(h.action) {
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

// do carries out one duty. One that goes through many handoffs does so for the next of them, and comes again.
func (o *op) do(c *cascade, d duty) error {
	index, many := goesThrough(d)
	if !many {
		came, err := o.consequence(d.do, d.of)
		if slices.Contains(c.asked, d.of) && came != (outcome{}) {
			c.outcome = came
		}
		return err
	}
	for id, err := range o.Oldest(index, d.after) {
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
		return o.consequenceFor(d.do, d.of, id)
	}
	return nil
}

// putOff notes on its record what follows from it and is too much for this transaction.
func (o *op) putOff(owed []duty) error {
	return o.actingAs(clockCaller, func() error {
		for _, d := range owed {
			r, err := o.Record(d.of.now.ID)
			if err != nil {
				return err
			}
			err = o.change(happening{action: life.Defer}, r, func(now *store.Record) {
				now.Owes = append(now.Owes, store.Debt{Do: string(d.do), After: d.after})
			})
			if err != nil {
				return err
			}
			o.owing = true
		}
		return nil
	})
}

// resume goes on with what was put off, in the name of the clock. A record that owes something is due until that is
// done. The call that put it off goes on with it in transactions of its own before it returns; where its process ends
// before, the next call of anybody does, before all else.
func (o *op) resume(r *store.Record) error {
	now, err := o.step(life.Resume, r)
	if err != nil {
		return err
	}
	now.Owes = nil
	h := happening{action: life.Resume, was: r, now: &now, by: o.by}
	if err := o.commit(h); err != nil {
		return err
	}
	c := &cascade{}
	for _, debt := range slices.Backward(r.Owes) {
		c.duties = append(c.duties, duty{of: &h, do: life.Consequence(debt.Do), after: debt.After})
	}
	return o.carryOut(c)
}

// apart does a part of the operation together with all that follows from it, and leaves what else happened.
func (o *op) apart(fn func() error) error {
	before := o.happened
	defer func() { o.happened = before }()
	o.happened = nil
	if err := fn(); err != nil {
		return err
	}
	_, err := o.follow()
	return err
}

// happening is what an operation, the clock or a consequence did to one handoff, and as much of what was said as
// those need who go on with it.
type happening struct {
	action life.Action
	was    *store.Record // as it was read, nil for a new one
	now    *store.Record

	other schemas.ID // the event names it: a handoff that this one made, or was made by
	due   store.Time // the event names it: when the clock was to do this

	text    string        // what those read who are told of it
	why     lost          // why it did not end well
	then    schemas.Then  // how the work goes on after a failure
	to      schemas.Agent // who goes on after a rollback, "" as the rollback rule says
	forward *draft        // what a completion passes on, nil for nothing

	by schemas.Caller // who did it, set by [op.commit]
}

// lost is why a handoff did not end well: what its holder said, or what the clock or a sender says.
type lost struct {
	Failure *schemas.Failure
	Reason  string
}

func (l lost) text() string {
	if l.Failure != nil {
		return l.Failure.Failure.Description
	}
	return l.Reason
}

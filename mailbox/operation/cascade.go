package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// MaxSpread is the maximum number of other handoffs that the consequences in one transaction may read or change. The
// store has one writer at a time, so a longer transaction would block all other writers.
const MaxSpread = 1000

// ConsequenceResult holds the facts about consequences that the result of a call reports. It covers only consequences
// of the changes that the call itself made, and no consequences of consequences.
type ConsequenceResult struct {
	Successor *store.Record    // the handoff that continues the work, nil for none
	Forwarded *schemas.SendOut // the send that a completion caused, nil for none
	Unsent    string           // why that send failed, "" if it did not
}

// duty is a consequence that is still to be carried out, with the change that caused the consequence. A duty that
// concerns many handoffs stores the last handoff that it has visited. So the duty can stop after any handoff and later
// go on with the next handoff.
type duty struct {
	of    *RecordChange
	do    life.Consequence
	after schemas.ID // the last handoff that it visited, 0 for none
}

// cascade carries out consequences, and the further consequences that they cause. Its duties are a stack: new duties go
// on top and are carried out before older duties. The order is visible in the registry, and golden files of tests check
// the order.
type cascade struct {
	requested []*RecordChange // happenings of the call itself, which the outcome covers
	outcome   ConsequenceResult
	duties    []duty // the next one is the last
	deferred  []duty // duties that are too much for this transaction
}

// RunConsequences carries out the consequences of all changes that the operation has committed so far, by the table of
// [life.ConsequencesOf], and all further consequences. [Engine.Update] calls it at the end of each operation. An
// operation calls it earlier if its result reports the [ConsequenceResult]. Each consequence runs in the name of the
// caller that made the change.
//
// RunConsequences always ends, because a handoff ends only once, and a new handoff causes at most a request for
// approval.
//
// One transaction visits at most [MaxSpread] other handoffs. RunConsequences stores the remaining consequences on the
// record of the handoff that caused them, in the same transaction, so that none is lost, see [Op.resumeDuties]. An
// error undoes the whole operation.
func (o *Op) RunConsequences() (ConsequenceResult, error) {
	c := &cascade{requested: o.changes}
	err := o.runDuties(c)
	return c.outcome, err
}

// runDuties carries out the duties (open consequences) of a cascade, and all duties that these duties cause. After
// [MaxSpread] visits in the transaction, it defers the remaining duties. It stops at the first error, and its caller
// undoes the operation.
func (o *Op) runDuties(c *cascade) error {
	for {
		c.duties = append(c.duties, o.dutiesOfNewChanges()...)
		last := len(c.duties) - 1
		if last < 0 {
			return o.deferDuties(c.deferred)
		}
		next := c.duties[last]
		c.duties = c.duties[:last]
		if err := o.RunAs(next.of.By, func() error { return o.runDuty(c, next) }); err != nil {
			return err
		}
	}
}

// dutiesOfNewChanges returns the consequences of all changes that were committed since its last call. The order is
// reversed, because the last duty is carried out first. dutiesOfNewChanges evaluates each condition in the table of
// consequences once, with the record before and after the change.
func (o *Op) dutiesOfNewChanges() (duties []duty) {
	for _, h := range o.changes {
		for _, row := range life.ConsequencesOf(h.Action) {
			if !conditions[row.If](h) {
				continue
			}
			for _, c := range row.Then {
				duties = append(duties, duty{of: h, do: c})
			}
		}
	}
	o.changes = nil
	slices.Reverse(duties)
	return duties
}

// runDuty carries out one duty. A duty that concerns many handoffs handles the next of these handoffs and goes back
// onto the stack. So all consequences for one handoff run before the duty visits another handoff. After [MaxSpread]
// visits in the transaction, runDuty adds the duty to the deferred duties.
func (o *Op) runDuty(c *cascade, d duty) error {
	if !d.do.AffectsOthers() {
		return o.runOwnDuty(c, d)
	}
	others, ended := o.Rules.AffectedHandoffs(d.do, d.of.Now)
	for id, err := range o.OldestFirst(others, d.after) {
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
		if r := o.UsableRecord(id); r != nil && (ended || !r.Status.HasEnded()) {
			return o.Rules.RunConsequenceFor(d.do, r, d.of.Now)
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

// deferDuties stores each deferred duty on the record of the handoff that caused the duty, in the same transaction. So
// no duty is lost if the process ends right after the commit. The record stays due until [Op.resumeDuties] has carried
// out its duties.
func (o *Op) deferDuties(owed []duty) error {
	return o.RunAs(ClockCaller, func() error {
		for _, d := range owed {
			r, err := o.Record(d.of.Now.ID)
			if err != nil {
				return err
			}
			err = o.ChangeRecord(&RecordChange{Action: life.Defer}, r, func(now *store.Record) {
				now.Owes = append(now.Owes, store.OpenConsequence{Do: string(d.do), After: d.after})
			})
			if err != nil {
				return err
			}
			o.ResumeDutiesLater(r.ID)
		}
		return nil
	})
}

// resumeDuties carries out the duties that [Op.deferDuties] stored on a record, in the name of the clock. It removes
// the stored duties and carries them out in one transaction, so each handoff is visited once. It defers the rest again
// after [MaxSpread] visits. The call that deferred the duties resumes them before it returns. If its process ends
// first, the next call of any caller resumes the duties.
func (o *Op) resumeDuties(r *store.Record) error {
	h := &RecordChange{Action: life.Resume}
	err := o.ChangeRecord(h, r, func(now *store.Record) {
		now.Owes = slices.DeleteFunc(now.Owes, func(d store.OpenConsequence) bool { return d.Leave == "" })
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

// runWithConsequences runs fn and then at once all consequences of the changes that fn made. Consequences of earlier
// changes of the operation stay queued until [Op.RunConsequences]. For example, the server ends an expired lease in the
// middle of another operation this way.
func (o *Op) runWithConsequences(fn func() error) error {
	before := o.changes
	defer func() { o.changes = before }()
	o.changes = nil
	if err := fn(); err != nil {
		return err
	}
	_, err := o.RunConsequences()
	return err
}

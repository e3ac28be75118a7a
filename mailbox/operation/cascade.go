package operation

import (
	"cmp"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// MaxVisitedHandoffs is the maximum number of other handoffs that the consequences in one transaction may read or
// change. The store has one writer at a time, so a longer transaction would block all other writers.
const MaxVisitedHandoffs = 1000

// ConsequenceResult holds the facts about consequences that the result of a call reports. It covers only consequences
// of the changes that the call itself made, and no consequences of consequences.
type ConsequenceResult struct {
	Successor *store.Record    // the handoff that continues the work, nil for none
	Forwarded *schemas.SendOut // the send that a completion caused, nil for none
	Unsent    string           // why that send failed, "" if it did not
}

// pendingConsequence is a consequence that is still to be carried out, with the change that caused the consequence. A
// consequence for many handoffs stores the last handoff that it has visited, so that it can stop after any handoff and
// later go on with the next one.
type pendingConsequence struct {
	change      *RecordChange
	kind        life.Consequence
	lastVisited schemas.ID // the last handoff that it visited, 0 for none
}

// cascade carries out consequences, and the further consequences that they cause. The pending consequences are a stack:
// new ones go on top and are carried out before older ones. The order is visible in the registry, and golden files of
// tests check the order.
type cascade struct {
	requested []*RecordChange // changes that the call itself made; the outcome covers only these
	outcome   ConsequenceResult
	stack     []pendingConsequence // the next one is the last
	deferred  []pendingConsequence // consequences that are too much for this transaction
}

// RunConsequences carries out the consequences of all changes that the operation has committed so far, by the table of
// [life.ConsequencesOf], and all further consequences. [Engine.Update] calls it at the end of each operation. An
// operation calls it earlier if its result reports the [ConsequenceResult]. Each consequence runs in the name of the
// caller that made the change.
//
// RunConsequences always ends, because a handoff ends only once, and a new handoff causes at most a request for
// approval.
//
// One transaction visits at most [MaxVisitedHandoffs] other handoffs. RunConsequences stores the remaining consequences
// on the record of the handoff that caused them, in the same transaction, so that none is lost, see
// [Op.resumeConsequences]. An error undoes the whole operation.
func (o *Op) RunConsequences() (ConsequenceResult, error) {
	c := &cascade{requested: o.changes}
	err := o.runCascade(c)
	return c.outcome, err
}

// runCascade carries out the pending consequences of a cascade, and all further consequences that they cause. After
// [MaxVisitedHandoffs] visits in the transaction, it defers the rest. It stops at the first error, and its caller
// undoes the operation.
func (o *Op) runCascade(c *cascade) error {
	for {
		c.stack = append(c.stack, o.consequencesOfNewChanges()...)
		last := len(c.stack) - 1
		if last < 0 {
			return o.deferConsequences(c.deferred)
		}
		next := c.stack[last]
		c.stack = c.stack[:last]
		if err := o.RunAs(next.change.By, func() error { return o.runPendingConsequence(c, next) }); err != nil {
			return err
		}
	}
}

// consequencesOfNewChanges returns the consequences of all changes that were committed since its last call. The order
// is reversed, because the last of them is carried out first. consequencesOfNewChanges evaluates each condition in the
// table of consequences once, with the record before and after the change.
func (o *Op) consequencesOfNewChanges() (pending []pendingConsequence) {
	for _, h := range o.changes {
		for _, row := range life.ConsequencesOf(h.Action) {
			if conditions[row.If](h) {
				pending = append(pending, pendingConsequence{change: h, kind: row.Then})
			}
		}
	}
	o.changes = nil
	slices.Reverse(pending)
	return pending
}

// runPendingConsequence carries out one consequence. A consequence for many handoffs handles the next of these handoffs
// and goes back onto the stack. So the consequences that the handled handoff causes run before the next handoff is
// visited. After [MaxVisitedHandoffs] visits in the transaction, runPendingConsequence adds the consequence to the
// deferred ones.
func (o *Op) runPendingConsequence(c *cascade, d pendingConsequence) error {
	if !d.kind.AffectsOthers() {
		return o.runForChangedHandoff(c, d)
	}
	others, ended := o.Rules.AffectedHandoffs(d.kind, d.change.Now)
	for id, err := range o.OldestFirst(others, d.lastVisited) {
		switch {
		case err != nil:
			return err
		case o.visitsLeft == 0:
			c.deferred = append(c.deferred, d)
			return nil
		}
		o.visitsLeft--
		d.lastVisited = id
		c.stack = append(c.stack, d)
		if r := o.UsableRecord(id); r != nil && (ended || !r.Status.HasEnded()) {
			return o.Rules.RunConsequenceFor(d.kind, r, d.change.Now)
		}
		return nil // a handoff that is unreadable, or ended meanwhile, stops no other
	}
	return nil
}

// runForChangedHandoff carries out a consequence that concerns only the changed handoff.
func (o *Op) runForChangedHandoff(c *cascade, d pendingConsequence) error {
	came, err := o.Rules.RunConsequence(d.kind, d.change)
	if slices.Contains(c.requested, d.change) {
		c.outcome.Successor = cmp.Or(c.outcome.Successor, came.Successor)
		c.outcome.Forwarded = cmp.Or(c.outcome.Forwarded, came.Forwarded)
		c.outcome.Unsent = cmp.Or(c.outcome.Unsent, came.Unsent)
	}
	return err
}

// deferConsequences stores each deferred consequence on the record of the handoff that caused it, in the same
// transaction. So no consequence is lost if the process ends right after the commit. The record stays due until
// [Op.resumeConsequences] has carried out its consequences.
func (o *Op) deferConsequences(owed []pendingConsequence) error {
	return o.RunAs(ClockCaller, func() error {
		for _, d := range owed {
			r, err := o.Record(d.change.Now.ID)
			if err != nil {
				return err
			}
			err = o.ChangeRecord(&RecordChange{Action: life.Defer}, r, func(now *store.Record) {
				now.Owes = append(now.Owes, store.OpenConsequence{Do: string(d.kind), After: d.lastVisited})
			})
			if err != nil {
				return err
			}
			o.ResumeConsequencesLater()
		}
		return nil
	})
}

// resumeConsequences carries out the consequences that [Op.deferConsequences] stored on a record, in the name of the
// clock. It removes the stored consequences and carries them out in one transaction, so each handoff is visited once.
// After [MaxVisitedHandoffs] visits it defers the rest again. The call that deferred the consequences resumes them
// before it returns. If its process ends first, the next call of any caller resumes them.
func (o *Op) resumeConsequences(r *store.Record) error {
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
		c.stack = append(c.stack, pendingConsequence{change: h, kind: life.Consequence(debt.Do), lastVisited: debt.After})
	}
	return o.runCascade(c)
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

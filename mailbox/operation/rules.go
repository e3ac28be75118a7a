package operation

import (
	"context"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Rules has the methods of package mailbox that the engine calls during an operation. Package mailbox makes a new Rules
// value for each operation, see [New].
type Rules interface {
	// BeforeWrite runs before a changed record is written, and may change only that record. AfterWrite runs after the
	// record is written, and before the consequences of the change.
	BeforeWrite(*RecordChange) error
	AfterWrite(*RecordChange) error

	// ApplyTimer changes a record because one of its timers has ended.
	ApplyTimer(Timer, *store.Record) error

	// RunConsequence carries out a consequence that concerns only the changed handoff. It returns the facts that the
	// result of the call reports.
	RunConsequence(life.Consequence, *RecordChange) (ConsequenceResult, error)

	// AffectedHandoffs returns the other handoffs that a consequence concerns. The engine calls RunConsequenceFor for
	// each of these handoffs. The engine skips ended handoffs, unless the result `ended` is true.
	AffectedHandoffs(c life.Consequence, now *store.Record) (others store.HandoffIndex, ended bool)
	RunConsequenceFor(c life.Consequence, other, now *store.Record) error

	// BeforeResume runs before a deferred consequence.
	BeforeResume(*RecordChange, store.OpenConsequence) error

	// ClockBudgetSpent reports whether the rules of files have used up their limits of cost and time for one operation.
	// The engine calls it after each handoff to which it applied due changes, and stops if the result is true.
	ClockBudgetSpent() (enough bool)

	// CutFutureTimes corrects a record whose times were set while the clock was ahead: it moves each time back to the
	// latest value that a correct clock could have set.
	CutFutureTimes(*store.Record) (changed bool)

	// AfterCallerSeen runs after a session of a client was seen.
	AfterCallerSeen(client schemas.Agent) error

	// ExplainRefusal returns the error for an action that the state of a record does not allow.
	ExplainRefusal(life.Action, *store.Record) error

	// AfterUndo runs after the operation was undone.
	AfterUndo(context.Context)
}

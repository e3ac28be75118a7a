package operation

import (
	"context"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Rules is the mailbox's part in an operation: the engine calls these methods. The mailbox provides one for each
// operation, see [New]. Package operation knows nothing else of the mailbox.
type Rules interface {
	// Before runs before a changed record is written, and may change only that record. After runs after the write, and
	// before any consequence.
	Before(*Happening) error
	After(*Happening) error

	// ApplyTimer acts on a timer of a record that is over.
	ApplyTimer(Timer, *store.Record) error

	// RunConsequence carries out a consequence for the handoff itself, and returns its part of the call's result.
	RunConsequence(life.Consequence, *Happening) (Outcome, error)

	// Affected returns the other handoffs for which RunFor carries out a consequence. Ended handoffs are passed over,
	// unless ended is true.
	Affected(c life.Consequence, now *store.Record) (others store.Index, ended bool)
	RunFor(c life.Consequence, other, now *store.Record) error

	// BeforeResume runs before a deferred consequence.
	BeforeResume(*Happening, store.Debt) error

	// ClockBudgetSpent runs after the clock was applied to a handoff. It tells whether the rules have used up the budget
	// of one operation.
	ClockBudgetSpent() (enough bool)

	// CutTimes moves the times of a record back to the latest values that a correct clock could have set.
	CutTimes(*store.Record) (changed bool)

	// AfterSeen runs after a session of a client was seen.
	AfterSeen(client schemas.Agent) error

	// ExplainRefusal returns the error for an action that the state of a record does not allow.
	ExplainRefusal(life.Action, *store.Record) error

	// AfterUndo runs after the operation was undone.
	AfterUndo(context.Context)
}

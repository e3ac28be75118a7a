package operation

import (
	"context"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Rules are what takes part in an operation without being called by it. The mailbox gives one to each operation, see
// [New]; package operation knows nothing else of what the mailbox does.
type Rules interface {
	// Before comes before a changed record is written, and changes that record alone. After comes when it was written,
	// and before anything follows from it.
	Before(*Happening) error
	After(*Happening) error

	// Due does what the clock does when a time of a record is over.
	ApplyTimer(Timer, *store.Record) error

	// Follow carries out a consequence for the handoff itself, and says what came of it for the result of the call.
	RunConsequence(life.Consequence, *Happening) (Outcome, error)

	// Across finds the other handoffs for which a consequence is carried out, by Each. Those that ended are passed over,
	// unless ended says otherwise.
	Affected(c life.Consequence, now *store.Record) (others store.Index, ended bool)
	RunFor(c life.Consequence, other, now *store.Record) error

	// Resumed comes before a consequence that was put off is carried out.
	BeforeResume(*Happening, store.Debt) error

	// Lapsed comes after the clock was applied to a handoff. It tells whether that was enough for one operation.
	ClockBudgetSpent() (enough bool)

	// Cut brings the times of a record back to where a clock that is right could have set them at the latest.
	CutTimes(*store.Record) (changed bool)

	// Seen comes after a session of a client was seen.
	AfterSeen(client schemas.Agent) error

	// Why explains that the state of a record does not allow an action. It is the error of that.
	ExplainRefusal(life.Action, *store.Record) error

	// Refused comes after the operation was undone.
	AfterUndo(context.Context)
}

package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

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

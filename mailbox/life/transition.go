// Package life describes the life of a handoff in two tables. One says which action is allowed in which state, the next
// state, and the parts that may do it. The other has the consequences of an action. The package reads no clock and no
// store: package mailbox looks up the tables and does the rest.
//
// A handoff is pending in a mailbox, accepted by the agent that claimed it, working once its holder reported, and
// waiting while its holder asks. From accepted, working and waiting it comes back to pending when the claim is
// released, when its lease ends, or when the question is answered. It ends as completed, failed, rejected, timed out or
// cancelled. An ended handoff never opens again; a completed handoff can only become a returned one.
//
// Each [Action] documents its actor, its effect, its errors and its repeats. Each [Consequence] documents its notices
// and its new handoffs. Both tables have golden files. A change of the rules shows there first: a reviewer reads them,
// and not the code.
//
// Consequences are words here. Two tables in mailbox/hooks.go have the method that carries out each consequence.
package life

import (
	"cmp"

	"handoff/schemas"
)

// Parts is a set of the parts that callers play towards a handoff. A caller may play several at once: a sender may be
// the owner of the workflow, too. One part of a set is enough for the permission.
type Parts uint16

// The parts.
const (
	Recipient Parts = 1 << iota // may claim it: it is addressed to the agent, or the agent qualifies for its pool and did not decline it
	Holder                      // claimed it last, and proves that with the claim token or the connection
	Sender                      // sent it
	Owner                       // sent the first handoff of its workflow
	Human                       // a person, on the command line
	Clock                       // the server, for due times and for consequences
	Verifier                    // holds a verification_request that is a child of it, or reviews it
)

// Step is the effect of an action in a state. It is a value, so the table cannot be changed through it.
type Step struct {
	To schemas.Status // the state after it
	By Parts          // a caller that plays one of these may do it
}

// table is the whole table: for each action, the states in which it is allowed, the next states, and the parts that may
// do it. A retry leaves the state as it is: an ended handoff is never reopened.
//
// Three actions have no row, because every state allows them and package mailbox checks the caller: [Send] makes the
// record, [Forward] only records a handoff that was sent because of an event of this one, and [Late] stores an outcome
// next to a record in any state.
var table = map[Action]map[schemas.Status]Step{
	Approve: {schemas.Pending: {schemas.Pending, Human}},
	Refuse:  {schemas.Pending: {schemas.Rejected, Human}},
	Ready:   {schemas.Pending: {schemas.Pending, Clock}},
	Claim:   {schemas.Pending: {schemas.Accepted, Recipient}},
	Reclaim: stepsInPlace(Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Amend:   stepsInPlace(Sender|Owner|Human, schemas.Pending, schemas.Waiting),
	Rebase: stepsInPlace(Sender|Owner|Human,
		schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting, schemas.Completed),
	Progress:  stepsTo(schemas.Working, Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Ask:       stepsTo(schemas.Waiting, Holder, schemas.Accepted, schemas.Working),
	Answer:    {schemas.Waiting: {schemas.Pending, Sender | Owner | Human}},
	Unreserve: {schemas.Pending: {schemas.Pending, Clock}},
	// From pending: a lease ended, there was no other claim, and the last holder finishes after all.
	Complete:     stepsTo(schemas.Completed, Holder, openStates...),
	Fail:         stepsTo(schemas.Failed, Holder, openStates...),
	Reject:       stepsTo(schemas.Rejected, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Decline:      stepsTo(schemas.Pending, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Release:      stepsTo(schemas.Pending, Holder|Owner|Human, schemas.Accepted, schemas.Working, schemas.Waiting),
	Renew:        stepsInPlace(Clock, openStates...), // pending: a reservation
	NotTaken:     {schemas.Pending: {schemas.Pending, Clock}},
	Silent:       stepsInPlace(Clock, schemas.Accepted, schemas.Working),
	Lost:         stepsInPlace(Clock, schemas.Accepted, schemas.Working, schemas.Waiting),
	Requeue:      stepsTo(schemas.Pending, Clock, schemas.Accepted, schemas.Working),
	Exhaust:      stepsTo(schemas.TimedOut, Clock, schemas.Accepted, schemas.Working),
	Expire:       stepsTo(schemas.TimedOut, Clock, openStates...),
	Cancel:       stepsTo(schemas.Cancelled, Sender|Owner|Human|Clock, openStates...),
	Dismiss:      stepsInPlace(Sender|Owner|Human, schemas.Completed, schemas.Failed, schemas.Rejected, schemas.TimedOut),
	Accept:       {schemas.Completed: {schemas.Completed, Sender | Owner | Human | Verifier}},
	RefuseResult: stepsInPlace(Holder, openStates...),
	Observe:      stepsInPlace(Clock, schemas.Completed),
	Return:       {schemas.Completed: {schemas.Returned, Sender | Owner | Human | Verifier}},
	Retry:        stepsInPlace(Sender|Owner|Human, schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled),
	Rerun: {
		schemas.Failed:   {schemas.Failed, Holder},
		schemas.Rejected: {schemas.Rejected, Recipient | Holder},
	},
	Rollback: stepsInPlace(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Escalate: stepsInPlace(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Redo:     stepsInPlace(Sender|Owner|Human|Verifier, schemas.Returned),
	Mark:     stepsInPlace(Holder, openStates...),
	Defer:    stepsInPlace(Clock, endedStates...),
	Resume:   stepsInPlace(Clock, endedStates...),
	Redact:   stepsInPlace(Human, schemas.Statuses...),
}

var openStates, endedStates = schemas.Open.States(), schemas.Statuses[len(schemas.Open.States()):]

// stepsTo returns the same step for several states. An empty next state leaves them as they are.
func stepsTo(to schemas.Status, by Parts, from ...schemas.Status) map[schemas.Status]Step {
	m := make(map[schemas.Status]Step, len(from))
	for _, s := range from {
		m[s] = Step{cmp.Or(to, s), by}
	}
	return m
}

// stepsInPlace returns steps that leave the state as it is.
func stepsInPlace(by Parts, states ...schemas.Status) map[schemas.Status]Step {
	return stepsTo("", by, states...)
}

// Next returns the effect of an action in a state, with the parts that may do it. ok is false if the state does not
// allow the action, and for actions without a row. Package mailbox calls it before each change of a record, and checks
// that the caller plays one of the parts. The golden file testdata/transitions.txt shows the whole table.
func Next(a Action, from schemas.Status) (s Step, ok bool) {
	s, ok = table[a][from]
	return s, ok
}

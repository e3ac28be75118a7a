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

// CallerParts is a set of the parts that callers play towards a handoff. A caller may play several at once: a sender may be
// the owner of the workflow, too. One part of a set is enough for the permission.
type CallerParts uint16

// The parts.
const (
	Recipient CallerParts = 1 << iota // may claim it: it is addressed to the agent, or the agent qualifies for its pool and did not decline it
	Holder                            // claimed it last, and proves that with the claim token or the connection
	Sender                            // sent it
	Owner                             // sent the first handoff of its workflow
	Human                             // a person, on the command line
	Clock                             // the server, for due times and for consequences
	Verifier                          // holds a verification_request that is a child of it, or reviews it
)

// Transition is the effect of an action in a state. It is a value, so the table cannot be changed through it.
type Transition struct {
	To schemas.Status // the state after it
	By CallerParts    // a caller that plays one of these may do it
}

// transitions is the whole table: for each action, the states in which it is allowed, the next states, and the parts that may
// do it. A retry leaves the state as it is: an ended handoff is never reopened.
//
// Three actions have no row, because every state allows them and package mailbox checks the caller: [Send] makes the
// record, [Forward] only records a handoff that was sent because of an event of this one, and [Late] stores an outcome
// next to a record in any state.
var transitions = map[Action]map[schemas.Status]Transition{
	Approve: {schemas.Pending: {schemas.Pending, Human}},
	Refuse:  {schemas.Pending: {schemas.Rejected, Human}},
	Ready:   {schemas.Pending: {schemas.Pending, Clock}},
	Claim:   {schemas.Pending: {schemas.Accepted, Recipient}},
	Reclaim: transitionsInPlace(Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Amend:   transitionsInPlace(Sender|Owner|Human, schemas.Pending, schemas.Waiting),
	Rebase: transitionsInPlace(Sender|Owner|Human,
		schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting, schemas.Completed),
	Progress:  transitionsTo(schemas.Working, Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Ask:       transitionsTo(schemas.Waiting, Holder, schemas.Accepted, schemas.Working),
	Answer:    {schemas.Waiting: {schemas.Pending, Sender | Owner | Human}},
	Unreserve: {schemas.Pending: {schemas.Pending, Clock}},
	// From pending: a lease ended, there was no other claim, and the last holder finishes after all.
	Complete:     transitionsTo(schemas.Completed, Holder, openStates...),
	Fail:         transitionsTo(schemas.Failed, Holder, openStates...),
	Reject:       transitionsTo(schemas.Rejected, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Decline:      transitionsTo(schemas.Pending, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Release:      transitionsTo(schemas.Pending, Holder|Owner|Human, schemas.Accepted, schemas.Working, schemas.Waiting),
	Renew:        transitionsInPlace(Clock, openStates...), // pending: a reservation
	NotTaken:     {schemas.Pending: {schemas.Pending, Clock}},
	Silent:       transitionsInPlace(Clock, schemas.Accepted, schemas.Working),
	Lost:         transitionsInPlace(Clock, schemas.Accepted, schemas.Working, schemas.Waiting),
	Requeue:      transitionsTo(schemas.Pending, Clock, schemas.Accepted, schemas.Working),
	Exhaust:      transitionsTo(schemas.TimedOut, Clock, schemas.Accepted, schemas.Working),
	Expire:       transitionsTo(schemas.TimedOut, Clock, openStates...),
	Cancel:       transitionsTo(schemas.Cancelled, Sender|Owner|Human|Clock, openStates...),
	Dismiss:      transitionsInPlace(Sender|Owner|Human, schemas.Completed, schemas.Failed, schemas.Rejected, schemas.TimedOut),
	Accept:       {schemas.Completed: {schemas.Completed, Sender | Owner | Human | Verifier}},
	RefuseResult: transitionsInPlace(Holder, openStates...),
	Observe:      transitionsInPlace(Clock, schemas.Completed),
	Return:       {schemas.Completed: {schemas.Returned, Sender | Owner | Human | Verifier}},
	Retry:        transitionsInPlace(Sender|Owner|Human, schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled),
	Rerun: {
		schemas.Failed:   {schemas.Failed, Holder},
		schemas.Rejected: {schemas.Rejected, Recipient | Holder},
	},
	Rollback: transitionsInPlace(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Escalate: transitionsInPlace(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Redo:     transitionsInPlace(Sender|Owner|Human|Verifier, schemas.Returned),
	Mark:     transitionsInPlace(Holder, openStates...),
	Defer:    transitionsInPlace(Clock, endedStates...),
	Resume:   transitionsInPlace(Clock, endedStates...),
	Redact:   transitionsInPlace(Human, schemas.Statuses...),
}

var openStates, endedStates = schemas.Open.States(), schemas.Statuses[len(schemas.Open.States()):]

// transitionsTo returns the same step for several states. An empty next state leaves them as they are.
func transitionsTo(to schemas.Status, by CallerParts, from ...schemas.Status) map[schemas.Status]Transition {
	m := make(map[schemas.Status]Transition, len(from))
	for _, s := range from {
		m[s] = Transition{cmp.Or(to, s), by}
	}
	return m
}

// transitionsInPlace returns steps that leave the state as it is.
func transitionsInPlace(by CallerParts, states ...schemas.Status) map[schemas.Status]Transition {
	return transitionsTo("", by, states...)
}

// TransitionFor returns the effect of an action in a state, with the parts that may do it. ok is false if the state does not
// allow the action, and for actions without a row. Package mailbox calls it before each change of a record, and checks
// that the caller plays one of the parts. The golden file testdata/transitions.txt shows the whole table.
func TransitionFor(a Action, from schemas.Status) (s Transition, ok bool) {
	s, ok = transitions[a][from]
	return s, ok
}

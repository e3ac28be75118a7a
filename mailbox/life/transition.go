// Package life describes the life of a handoff in two tables. The table of transitions says for each action in which
// states it is allowed, which state follows, and which callers may do it. The table of consequences says what else each
// action causes. Package operation reads both tables: [TransitionFor] before a change, [ConsequencesOf] after it. The
// package reads no clock and no store.
//
// A handoff is pending until an agent claims it, then accepted, working after the first report, and waiting while its
// holder asks a question. It is pending again after its claim is released, its lease ends, or its question is answered.
// It ends as completed, failed, rejected, timed out or cancelled. An ended handoff never opens again; a completed
// handoff can only become a returned one.
//
// Both tables have golden files, so a reviewer sees each change of the rules there first. Tables in mailbox/hooks.go
// have the method that carries out each consequence.
package life

import (
	"cmp"

	"handoff/schemas"
)

// CallerParts is a set of the parts that callers play towards a handoff, for example sender or holder. A caller may
// play several parts at once: a sender may also own the workflow. In the table of transitions the set has the parts
// that may do an action, and a caller needs one of the parts.
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

// Transition is the effect of an action in a state.
type Transition struct {
	To schemas.Status // the state after it
	By CallerParts    // a caller that plays one of these may do it
}

// transitions is the whole table: for each action, the states in which the action is allowed, the next state, and the
// parts that may do the action. No action reopens an ended handoff: a retry leaves its state as it is.
//
// Three actions are not in the table, because every state allows them and package mailbox checks the caller. [Send]
// makes the record. [Forward] only records a handoff that was sent because of an event of this handoff. [Late] stores
// an outcome without changing the state.
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
	// Also allowed from pending: the lease ended, no agent has claimed since, and the last holder finishes after all.
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

// transitionsTo returns the same transition for several states. If the argument `to` is empty, each state stays as it
// is.
func transitionsTo(to schemas.Status, by CallerParts, from ...schemas.Status) map[schemas.Status]Transition {
	m := make(map[schemas.Status]Transition, len(from))
	for _, s := range from {
		m[s] = Transition{cmp.Or(to, s), by}
	}
	return m
}

// transitionsInPlace returns transitions that leave each state as it is.
func transitionsInPlace(by CallerParts, states ...schemas.Status) map[schemas.Status]Transition {
	return transitionsTo("", by, states...)
}

// TransitionFor returns the effect of an action in a state, with the parts that may do the action. ok is false if the
// state does not allow the action, or if the action is not in the table. Package operation calls it before each change
// of a record, and checks that the caller plays one of the parts. The golden file testdata/transitions.txt shows the
// whole table.
func TransitionFor(a Action, from schemas.Status) (s Transition, ok bool) {
	s, ok = transitions[a][from]
	return s, ok
}

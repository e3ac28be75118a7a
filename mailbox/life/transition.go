// Package life is the life of a handoff as two tables. One says which action is allowed in which state, what state
// it leads to, and who may do it; the other says what follows from an action. It reads no clock and no store:
// package mailbox asks it, and does the rest.
package life

import "handoff/schemas"

// Action is something that happens to a handoff. The actions of the tools are split where the outcome
// differs: reject and decline, requeue and exhaust.
type Action string

// The actions, each with the name that its event has in the registry.
const (
	Send      Action = "sent"
	Approve   Action = "approved"
	Refuse    Action = "refused"
	Ready     Action = "ready" // what it waited for is there: its time, or the handoffs before it
	Claim     Action = "claimed"
	Reclaim   Action = "reclaimed"
	Amend     Action = "amended"
	Progress  Action = "progress"
	Ask       Action = "asked"
	Answer    Action = "answered"
	Unreserve Action = "unreserved" // the asker did not come back for the answer
	Complete  Action = "completed"
	Fail      Action = "failed"
	Reject    Action = "rejected"
	Decline   Action = "declined"
	Release   Action = "released"
	Renew     Action = "renewed"
	Lost      Action = "disconnected"
	Requeue   Action = "lease_ended"
	Exhaust   Action = "attempts_used_up"
	Expire    Action = "timed_out"
	Cancel    Action = "cancelled"
	Return    Action = "returned"
	Forward   Action = "passed_on"
	Retry     Action = "retried"
	Rerun     Action = "tried_again" // the holder failed and asked for a retry
	Rollback  Action = "rolled_back"
	Escalate  Action = "escalated"
	Redo      Action = "given_back" // the child of a return was made
	Mark      Action = "checkpoint"
	Late      Action = "late"
	Defer     Action = "deferred" // more follows from it than one transaction carries out
	Resume    Action = "resumed"  // the clock goes on with that

	// These are about no handoff.
	Register    Action = "registered"
	Message     Action = "message"
	TokenAdd    Action = "token_added"
	TokenRevoke Action = "token_revoked"
	Denied      Action = "denied" // a caller with a token asked to act as another than it names
)

// Actions lists the actions on a handoff in the order of its life.
var Actions = []Action{
	Send, Approve, Refuse, Ready, Claim, Reclaim, Amend, Progress, Ask, Answer,
	Unreserve, Complete, Fail, Reject, Decline, Release, Renew, Lost, Requeue,
	Exhaust, Expire, Cancel, Forward, Return, Retry, Rerun, Rollback, Escalate, Redo, Mark, Late, Defer, Resume,
}

// Parts is a set of the parts that callers play towards a handoff.
type Parts uint16

// The parts.
const (
	Anyone Parts = 1 << iota
	Recipient
	Holder // proves the claim
	Sender
	Owner // of the workflow
	Human
	Clock
	Verifier // holds a verification_request about it
)

// Step is what an action does in a state.
type Step struct {
	To schemas.Status
	By Parts // whoever plays one of these may do it
}

// Unsent is the state before the first.
const Unsent schemas.Status = ""

// table is the whole table: for each action, the states in which it is allowed, what becomes of them, and
// who may do it. A late result and a retry leave the state as it is: nothing reopens an ended handoff.
var table = map[Action]map[schemas.Status]Step{
	Send:    {Unsent: {schemas.Pending, Anyone}},
	Approve: {schemas.Pending: {schemas.Pending, Human}},
	Refuse:  {schemas.Pending: {schemas.Rejected, Human}},
	Ready:   {schemas.Pending: {schemas.Pending, Clock}},
	Claim:   {schemas.Pending: {schemas.Accepted, Recipient}},
	Reclaim: each(schemas.Accepted, Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Amend: {
		schemas.Pending: {schemas.Pending, Sender | Owner | Human},
		schemas.Waiting: {schemas.Waiting, Sender | Owner | Human},
	},
	Progress:  each(schemas.Working, Holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	Ask:       each(schemas.Waiting, Holder, schemas.Accepted, schemas.Working),
	Answer:    {schemas.Waiting: {schemas.Pending, Sender | Owner | Human}},
	Unreserve: {schemas.Pending: {schemas.Pending, Clock}},
	// From pending: a lease ended, nobody else came, and the last holder finishes after all.
	Complete: each(schemas.Completed, Holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	Fail:     each(schemas.Failed, Holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	Reject:   each(schemas.Rejected, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Decline:  each(schemas.Pending, Recipient|Holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	Release:  each(schemas.Pending, Holder|Owner|Human, schemas.Accepted, schemas.Working, schemas.Waiting),
	Renew:    same(Clock, schemas.Pending, schemas.Accepted, schemas.Working), // pending: a reservation
	Lost:     same(Clock, schemas.Accepted, schemas.Working, schemas.Waiting),
	Requeue:  each(schemas.Pending, Clock, schemas.Accepted, schemas.Working),
	Exhaust:  each(schemas.TimedOut, Clock, schemas.Accepted, schemas.Working),
	Expire:   each(schemas.TimedOut, Clock, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	Cancel: each(schemas.Cancelled, Sender|Owner|Human|Clock,
		schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	Forward: same(Holder, schemas.Completed),
	Return:  {schemas.Completed: {schemas.Returned, Sender | Owner | Human | Verifier}},
	Retry: same(Sender|Owner|Human,
		schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled),
	Rerun:    same(Holder, schemas.Failed),
	Rollback: same(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Escalate: same(Holder|Clock, schemas.Failed, schemas.TimedOut),
	Redo:     same(Sender|Owner|Human|Verifier, schemas.Returned),
	Mark:     same(Holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	Late:     same(Holder, schemas.Statuses...),
	Defer:    same(Clock, ended...),
	Resume:   same(Clock, ended...),
}

var ended = []schemas.Status{
	schemas.Completed, schemas.Rejected, schemas.Failed, schemas.TimedOut, schemas.Returned, schemas.Cancelled,
}

// each gives the same step for several states.
func each(to schemas.Status, by Parts, from ...schemas.Status) map[schemas.Status]Step {
	m := make(map[schemas.Status]Step, len(from))
	for _, s := range from {
		m[s] = Step{to, by}
	}
	return m
}

// same gives steps that leave the state as it is.
func same(by Parts, states ...schemas.Status) map[schemas.Status]Step {
	m := make(map[schemas.Status]Step, len(states))
	for _, s := range states {
		m[s] = Step{s, by}
	}
	return m
}

// Next is what an action does in a state; ok is false when it is not allowed there.
func Next(a Action, from schemas.Status) (s Step, ok bool) {
	s, ok = table[a][from]
	return s, ok
}

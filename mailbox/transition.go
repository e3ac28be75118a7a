package mailbox

import "handoff/schemas"

// action is something that happens to a handoff. The actions of the tools are split where the outcome
// differs: reject and decline, requeue and exhaust.
type action string

const (
	actSend      action = "sent"
	actApprove   action = "approved"
	actRefuse    action = "refused"
	actReady     action = "ready" // what it waited for is there: its time, or the handoffs before it
	actClaim     action = "claimed"
	actReclaim   action = "reclaimed"
	actAmend     action = "amended"
	actProgress  action = "progress"
	actAsk       action = "asked"
	actAnswer    action = "answered"
	actUnreserve action = "unreserved" // the asker did not come back for the answer
	actComplete  action = "completed"
	actFail      action = "failed"
	actReject    action = "rejected"
	actDecline   action = "declined"
	actRelease   action = "released"
	actRenew     action = "renewed"
	actLost      action = "disconnected"
	actRequeue   action = "lease_ended"
	actExhaust   action = "attempts_used_up"
	actExpire    action = "timed_out"
	actCancel    action = "cancelled"
	actReturn    action = "returned"
	actForward   action = "passed_on"
	actRetry     action = "retried"
	actRerun     action = "tried_again" // the holder failed and asked for a retry
	actRollback  action = "rolled_back"
	actEscalate  action = "escalated"
	actRedo      action = "given_back" // the child of a return was made
	actMark      action = "checkpoint"
	actLate      action = "late"

	// These are about no handoff.
	actRegister    action = "registered"
	actMessage     action = "message"
	actTokenAdd    action = "token_added"
	actTokenRevoke action = "token_revoked"
	actDenied      action = "denied" // a caller with a token asked to act as another than it names
)

// actions lists them in the order of a life.
var actions = []action{
	actSend, actApprove, actRefuse, actReady, actClaim, actReclaim, actAmend, actProgress, actAsk, actAnswer,
	actUnreserve, actComplete, actFail, actReject, actDecline, actRelease, actRenew, actLost, actRequeue,
	actExhaust, actExpire, actCancel, actForward, actReturn, actRetry, actRerun, actRollback, actEscalate, actRedo, actMark, actLate,
}

// who is a set of parts that callers play.
type who uint16

const (
	anyone who = 1 << iota
	recipient
	holder // proves the claim
	sender
	owner // of the workflow
	human
	clock
	verifier // holds a verification_request about it
)

// step is what an action does in a state.
type step struct {
	to  schemas.Status
	who who
}

// unsent is the state before the first.
const unsent schemas.Status = ""

// life is the whole table: for each action, the states in which it is allowed, what becomes of them, and
// who may do it. A late result and a retry leave the state as it is: nothing reopens an ended handoff.
var life = map[action]map[schemas.Status]step{
	actSend:    {unsent: {schemas.Pending, anyone}},
	actApprove: {schemas.Pending: {schemas.Pending, human}},
	actRefuse:  {schemas.Pending: {schemas.Rejected, human}},
	actReady:   {schemas.Pending: {schemas.Pending, clock}},
	actClaim:   {schemas.Pending: {schemas.Accepted, recipient}},
	actReclaim: each(schemas.Accepted, holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	actAmend: {
		schemas.Pending: {schemas.Pending, sender | owner | human},
		schemas.Waiting: {schemas.Waiting, sender | owner | human},
	},
	actProgress:  each(schemas.Working, holder, schemas.Accepted, schemas.Working, schemas.Waiting),
	actAsk:       each(schemas.Waiting, holder, schemas.Accepted, schemas.Working),
	actAnswer:    {schemas.Waiting: {schemas.Pending, sender | owner | human}},
	actUnreserve: {schemas.Pending: {schemas.Pending, clock}},
	// From pending: a lease ended, nobody else came, and the last holder finishes after all.
	actComplete: each(schemas.Completed, holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	actFail:     each(schemas.Failed, holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	actReject:   each(schemas.Rejected, recipient|holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	actDecline:  each(schemas.Pending, recipient|holder, schemas.Pending, schemas.Accepted, schemas.Waiting),
	actRelease:  each(schemas.Pending, holder|owner|human, schemas.Accepted, schemas.Working, schemas.Waiting),
	actRenew:    same(clock, schemas.Pending, schemas.Accepted, schemas.Working), // pending: a reservation
	actLost:     same(clock, schemas.Accepted, schemas.Working, schemas.Waiting),
	actRequeue:  each(schemas.Pending, clock, schemas.Accepted, schemas.Working),
	actExhaust:  each(schemas.TimedOut, clock, schemas.Accepted, schemas.Working),
	actExpire:   each(schemas.TimedOut, clock, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	actCancel: each(schemas.Cancelled, sender|owner|human|clock,
		schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	actForward: same(holder, schemas.Completed),
	actReturn:  {schemas.Completed: {schemas.Returned, sender | owner | human | verifier}},
	actRetry: same(sender|owner|human,
		schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled),
	actRerun:    same(holder, schemas.Failed),
	actRollback: same(holder|clock, schemas.Failed, schemas.TimedOut),
	actEscalate: same(holder|clock, schemas.Failed, schemas.TimedOut),
	actRedo:     same(sender|owner|human|verifier, schemas.Returned),
	actMark:     same(holder, schemas.Pending, schemas.Accepted, schemas.Working, schemas.Waiting),
	actLate:     same(holder, schemas.Statuses...),
}

// each gives the same step for several states.
func each(to schemas.Status, by who, from ...schemas.Status) map[schemas.Status]step {
	m := make(map[schemas.Status]step, len(from))
	for _, s := range from {
		m[s] = step{to, by}
	}
	return m
}

// same gives steps that leave the state as it is.
func same(by who, states ...schemas.Status) map[schemas.Status]step {
	m := make(map[schemas.Status]step, len(states))
	for _, s := range states {
		m[s] = step{s, by}
	}
	return m
}

// next is what an action does in a state; ok is false when it is not allowed there.
func next(a action, from schemas.Status) (step, bool) {
	s, ok := life[a][from]
	return s, ok
}

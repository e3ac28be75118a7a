package life

import "handoff/schemas"

// Action is something that happens to a handoff. The value is the name that its event has in the registry.
//
// One call may be one of several actions, as its outcome differs: who refuses work rejects it or declines it, and a
// lease that ends is renewed, or the work is offered again, or its attempts are used up.
//
// All actions of callers have these errors in common, besides those that each names:
//   - not_found: no handoff has the id.
//   - conflict: the state of the handoff does not allow the action. The error names the handoff that took its place,
//     if there is one.
//   - denied: the caller plays none of the parts that may do it. The error names them.
//   - limit: a text is longer than its limit. The error names the field.
//
// A call that is repeated with the same request id within 24 hours gets the result of the first call and does nothing.
// What is said of repetition below is about calls without one.
type Action string

// Sending, and what decides when a handoff may be claimed.
const (
	// Send puts a new handoff into the mailbox of an agent, or into a pool of agents that share a capability or a
	// role. Anyone may send. A completion that passes on sends, too, and so do the rules, for work that goes on after
	// a failure. The handoff is pending. Nobody can claim it while it waits for a time, for other handoffs or for
	// approval.
	//
	// Human is asked for approval where the sender wants it.
	//
	// The error is invalid for a field that makes no sense, such as a deadline in the past; not_found for a recipient
	// that nobody registered where agents are registered, and for a parent or workflow that does not exist; conflict
	// for a recipient that does not accept the type, for a dependency that ended without completion, and for a key that
	// was used for other content; limit for a chain of more than 10 handoffs, for a mailbox with 10,000 pending ones,
	// and for a token with as many pending as it may have.
	//
	// A sender that repeats a key gets the first result. Without a key the same content is sent twice, with a warning
	// within 10 minutes.
	Send Action = "sent"

	// Approve lets a handoff go on that waits for approval. Human does it while the handoff is pending; the handoff
	// stays pending and may be claimed from now on, if it waits for nothing else. The sender is told.
	//
	// The error is conflict for a handoff that does not wait for approval, and so for the second time.
	Approve Action = "approved"

	// Refuse ends a handoff that waits for approval: it is rejected. Human does it, with a note. The sender is told,
	// and so are the senders of the handoffs that wait for it.
	//
	// The error is conflict for a handoff that does not wait for approval. Cancel ends that.
	Refuse Action = "refused"

	// Ready takes away one thing for which a pending handoff waits. The clock does it: when the time before which
	// nobody may claim it is over; when another handoff, for which it waits, was completed, or accepted where it waits
	// for that; and when that one was retried or returned, so that the handoff now waits for the new one. It may be
	// claimed when nothing is left to wait for.
	Ready Action = "ready"

	// Amend changes what a pending handoff says, or one whose holder asks. The sender, the owner of the workflow or
	// human does it. Lists are extended, maps are merged, and the rest is replaced; every earlier text stays with its
	// event. A pending handoff can be sent to another recipient so, and wait for other handoffs or another time. The
	// state does not change.
	//
	// What was approved needs approval anew when anyone but human amends it, and human is asked.
	//
	// The error is invalid when nothing is named to change; conflict for another recipient, dependency or time of a
	// handoff that is held, for a handoff that would wait for itself,
	// and for one that does not accept the work; denied when anyone but human amends what was approved and is held;
	// limit for more than 32 tags in all. A repetition extends the lists again.
	Amend Action = "amended"

	// Rebase is an amendment that names the commit with which checks compare the work, and nothing else. It is allowed
	// while the work is held, too, and once it is completed, for a later look. Whoever is to do the work or held it last
	// does not do it, unless that is human: the error is denied.
	Rebase Action = "rebased"
)

// Claiming, and the end of a claim without an outcome.
const (
	// Claim makes an agent the holder of a pending handoff: the recipient, or any agent that qualifies for its pool and
	// did not decline it. The agent gets a new claim token, and the tokens of earlier claims are void. The claim is one
	// more attempt, unless the claim before was given back. The lease begins: 15 minutes over a connection; without one
	// 30 minutes, or twice the estimate if that is longer.
	//
	// The error is conflict for a handoff that another agent holds or that waits for something. An agent that claims
	// over the same connection what it holds gets the same claim, and no event.
	Claim Action = "claimed"

	// Reclaim gives its holder a new claim of the handoff that it holds, after its connection is gone: the token and
	// the connection are new, and the state stays: a question that is open stays open. It is no new attempt. A client
	// that was restarted gets so what it held, before it gets anything new.
	//
	// The error is conflict while the server does not know yet whether the old connection is gone, for two minutes after
	// its start.
	Reclaim Action = "reclaimed"

	// Release gives a claim back: the handoff is pending again, for its recipient or for another that the caller names,
	// with all progress. The holder does it, the owner of the workflow or human, from any held state; the server does it
	// with a claim whose result cannot be delivered. The token is void, and the next claim is no new attempt.
	//
	// The holder is told, if it was another who did it. The error is stale for a claim that was lost before, invalid for
	// a claim that is not proved. A repetition is a conflict, since the handoff is pending then.
	Release Action = "released"

	// Renew lets a claim or a reservation go on when its time is over. The clock does it, when somebody looks: while the
	// connection of the holder is open and the holder was heard of in the last two hours, twice the estimate or the
	// longest session that it registered; without a connection for one lease after it was heard of; and for as long as
	// the machine slept. No lease passes the deadline. After the clock was set back it cuts what was to last too long.
	Renew Action = "renewed"

	// Lost cuts the lease of a claim whose connection is gone to two minutes, in which the holder can reclaim it. The
	// server does it when a connection ends. A handoff that waits for an answer has no lease and stays as it is.
	Lost Action = "disconnected"

	// Untaken does what the sender wants where nobody claimed a handoff within 15 minutes: its sender, human, or those
	// who accept anything may claim it from now on instead of those to whom it was sent. The clock does it, once for
	// each such wish. It waits on where the sender wants that, and where nobody accepts anything. The sender is told.
	Untaken Action = "not_taken"

	// Silent tells the sender that the holder was not heard of for long, with the last report, while the claim goes on.
	// The clock does it, once for each claim: after four thirds of a lease or twice the estimate, and before the lease
	// ends. Nobody is told of what human or the sender itself holds.
	Silent Action = "silent"

	// Requeue makes a held handoff pending again whose lease ended and is not renewed. The clock does it while attempts
	// are left. The token of the holder stays good until another claim: who finishes late, and before anyone else came,
	// still succeeds.
	Requeue Action = "lease_ended"

	// Exhaust ends a held handoff whose lease ended in its last attempt: it is timed out. The clock does it. The sender
	// is told, the senders of those that wait for it are told, and human gets a handoff to decide.
	Exhaust Action = "attempts_used_up"

	// Expire ends an open handoff whose deadline passed: it is timed out. The clock does it, in every open state. The
	// sender is told, the senders of those that wait for it are told, parts that nobody claimed are cancelled, and the
	// work goes to the agent that the rollback rule names: rollback.on_failure of the send, else the sender.
	Expire Action = "timed_out"
)

// What a holder does before the outcome.
const (
	// Progress tells how far the holder is: a note, a percentage, a checkpoint, or nothing but that it is at work. The
	// holder does it from any held state, and the handoff is working. The lease begins anew. Open questions are
	// withdrawn. Each call is one event.
	//
	// The error is stale for a claim that was lost, invalid for a claim that is not proved.
	Progress Action = "progress"

	// Mark keeps a checkpoint: where work stands, for whoever goes on. It comes with progress, with a failure that
	// leaves something, or at the end of a session that holds the handoff. The state does not change. The latest
	// checkpoint counts.
	Mark Action = "checkpoint"

	// Ask says what the holder needs before it goes on. The holder does it when it accepted the work or works, and the
	// handoff is waiting: no lease runs, and the token stays good. The sender is told. If the holder asks for a
	// permission, human is told, too.
	//
	// The error is invalid without a question; limit for questions above a quarter of what a handoff may hold; stale for
	// a claim that was lost. A holder that asked cannot ask again before it has an answer.
	Ask Action = "asked"

	// Answer answers what the holder asked. The sender, the owner of the workflow or human does it; a permission only
	// human gives. The answer becomes part of the context, and the handoff is pending: out of a pool it is reserved for
	// the agent that asked, for 15 minutes. Its next claim is no new attempt. The agent that asked is told.
	//
	// The error is invalid without an answer. A repetition is a conflict.
	Answer Action = "answered"

	// Unreserve offers an answered handoff to its whole pool, because the agent that asked did not come back for the
	// answer in 15 minutes. The clock does it.
	Unreserve Action = "unreserved"
)

// How a handoff ends. An ended handoff is never opened again.
const (
	// Complete ends a handoff with a result. The holder does it from any held state; also from pending, when its lease
	// ended and nobody claimed since. Every criterion that was asked for is answered, and the outcome is success, or
	// partial if one is not met.
	//
	// The sender is told. The handoffs that wait for it may go on. Where it was a retry, rollbacks and decisions that
	// its failures left and nobody holds are cancelled. The work that the completion passes on is sent; if that is
	// refused, nothing is completed either.
	//
	// The error is invalid for a criterion without an answer and for an output that does not meet its schema; conflict
	// if what was asked for changed meanwhile; stale for a claim that was lost, and then the result is kept as late. The
	// same result again gets the first result, with a warning.
	Complete Action = "completed"

	// RefuseResult notes that a completion was refused: a check was seen not to pass, or a strict handoff has criteria
	// that are not met. The caller gets the error conflict. The handoff stays with its holder, unchanged otherwise, and
	// nobody is told. The checks that failed are remembered until they are seen to pass. Eight refusals of an attempt
	// are kept at most, and the same one only once.
	RefuseResult Action = "completion_refused"

	// Fail ends a handoff without a result. The holder does it, from the states of Complete. What it achieved is kept
	// as a checkpoint.
	//
	// The sender is told. Then the work goes on as the holder says: back to an agent of the workflow (rollback, the
	// default), once more (retry; to human if no attempt or nobody else is left), to human (escalate), or not at all
	// (stop). The senders of those that still wait for it are told.
	//
	// The error is invalid for a rollback to an agent that has no part in the workflow; stale as for Complete. The same
	// failure again gets the first result, with a warning.
	Fail Action = "failed"

	// Reject ends a handoff that its recipient will not do: one addressed to it by name, or the last of a pool. The
	// recipient does it before it claims, the holder while the handoff is accepted or waiting. The sender is told, with
	// the agent that could do it instead, and so are the senders of those that wait for it.
	//
	// The error is conflict while the handoff is working. The same words again get the first result.
	Reject Action = "rejected"

	// Decline leaves a handoff of a pool to the others that qualify, and passes over the caller from now on. A claim of
	// the caller ends, and is no attempt. Nobody is told. Whoever repeats it is told that it declined before.
	Decline Action = "declined"

	// Cancel ends an open handoff that is no longer wanted. The sender does it, the owner of the workflow or human; the
	// rules do it to parts that nobody claimed, when the work of which they are parts fails. The sender is told, the
	// holder and the recipient are told, and so are the senders of those that wait for it, but none of them of what it
	// did itself. The children of the handoff go on; the result names them.
	//
	// A repetition is a conflict.
	Cancel Action = "cancelled"

	// Dismiss says of a handoff that failed, was rejected or timed out that nobody is to go on with it, and of a completed
	// step behind which a workflow waits for a file or for leave that nothing follows. The sender does it, the owner of
	// the workflow or human, by cancelling it. The state does not change, and neither does what waits for it: that stays
	// blocked. The sender is told, and it needs no person any more.
	//
	// The error is conflict where another handoff took its place. A repetition is a conflict.
	Dismiss Action = "dismissed"

	// Accept says that the result of a completed handoff is good enough. The sender does it, the owner of the workflow,
	// human, or the agent that holds a verification request about it, and may add a note. The state does not change.
	//
	// Its holder is told, and the handoffs that wait for the acceptance may go on. A repetition changes nothing, with a
	// warning.
	Accept Action = "accepted"

	// Observe keeps what was seen of the checks of completed work when they ran after the completion. A process of this
	// machine does it that has the checkout, in the name of system. The state does not change. A check that does not
	// pass makes the outcome partial. One that was partial only because nobody had looked becomes a success when all
	// pass, and the handoffs that wait for it may go on. The sender is told of both.
	//
	// The error is invalid for another commit than the one that was delivered. A repetition replaces what was seen.
	Observe Action = "observed"

	// Return gives a completed handoff back whose result is not good enough. The sender does it, the owner of the
	// workflow, human, or the agent that holds a verification request about it; with criteria that are to be met in the
	// next round, or with a note of which these are made. The handoff is returned, and its holder, or whom the caller
	// names, gets a new one: the rework, whose criteria are those of before and the new ones. Handoffs that wait for
	// the returned one, or waited for it and were not begun, wait for the rework. The result names those that were
	// begun, and their holders are told.
	//
	// The error is invalid without a note and criteria; limit for a chain that is too long and for a token with too
	// many pending. It can be done once: a repetition is a conflict that names the new handoff.
	Return Action = "returned"

	// Late keeps an outcome that came after its claim was lost, or after the handoff ended without an outcome. The
	// state does not change, because another agent may be at work or have finished. The sender is told. Eight late
	// results of a handoff are kept at most, and the same one only once. The caller gets the error stale.
	Late Action = "late"
)

// Redact takes texts out of what was kept with a handoff, in any state, or with a message. A person does it. The event
// names the events whose content it replaced, with the digests of what stands there now, so the registry verifies.
// Notices about the handoff lose their texts, and it is found only by the words that are left. A repetition with nothing
// left to replace is invalid.
const Redact Action = schemas.Redacted

// The handoffs that go on with the work. Each of these names the new handoff on the old one, whose state stays.
const (
	// Forward notes what the completion of the handoff passed on, or what the rules of files sent because of what
	// happened to it.
	Forward Action = "passed_on"

	// Retry sends a handoff again that ended without a result: failed, rejected, timed out or cancelled. The sender, the
	// owner of the workflow or human does it. The new handoff has the same content, with what is known of why the first
	// one ended so. In a pool it passes over the agent that held it last, if another qualifies. Handoffs that waited
	// for the first one wait for the new one. A note goes along as an answer, and changes are merged as by Amend. The
	// result warns of a rollback of the first one that nobody or the caller holds.
	//
	// The error is conflict while another agent holds a rollback of the first one, and limit for a token with too many
	// pending. A repetition names the same new handoff.
	Retry Action = "retried"

	// Rerun is a retry that the holder asked for when it failed, or by another agent that the one named who rejected.
	Rerun Action = "tried_again"

	// Rollback sends the work back after a failure or a deadline, to the agent that goes on.
	Rollback Action = "rolled_back"

	// Escalate sends human a handoff to decide, after a failure or when all attempts are used up.
	Escalate Action = "escalated"

	// Redo sends returned work to the agent that did it.
	Redo Action = "given_back"
)

// What follows from an action, when it is more than one transaction carries out.
const (
	// Defer notes on an ended handoff what still follows from its end: 1,000 other handoffs were gone through, and
	// more are left. The clock does it in the same transaction, so that nothing is forgotten if the process ends.
	Defer Action = "deferred"

	// Resume goes on with what was deferred. The clock does it at once in another transaction, or at the start of the
	// next call of anybody. What is too much for that transaction is deferred again.
	Resume Action = "resumed"
)

// Import tells from where a handoff came, and what was changed on the way: a claim stays where it was made. The event
// has a [schemas.Imported]. No caller does it to a handoff that is here.
const Import Action = "imported"

// What the registry keeps that is about no handoff.
const (
	// Register keeps what an agent says of itself. The agent does it, or a caller that may act as any agent. The event
	// has what was said. A repetition is another event.
	Register Action = "registered" // an agent said what it accepts
	// Declare keeps the rules that a file declares, in the place of those that it declared before. The process that has
	// the file does it. The event has the rules.
	Declare Action = "declared"
	// Message leaves an agent a notice that another wrote. Anyone may send one. The event has the whole of what was
	// sent. It makes no record, so nobody claims it and nothing follows from it.
	Message Action = "message" // an agent left another a notice
	// Recall takes a message back that nobody has read. Its sender does it. The notice is gone; what was sent stays
	// with the event of the message. The error is conflict for one that was read.
	Recall Action = "recalled" // an agent took a message back that was not read
	// TokenAdd keeps a token for callers over HTTP. A person does it. The event has the name, the agents and the limits
	// of the token, and neither its secret nor the hash of that.
	TokenAdd Action = "token_added" // a person made a token for callers over HTTP
	// TokenRevoke makes a token void. A person does it. It can be done once; a repetition is no event.
	TokenRevoke Action = "token_revoked" // a person revoked one
	// Denied tells that a caller with a token asked to act as an agent that the token does not name. The server keeps
	// it, once a minute for each token at most, with how often it happened since.
	Denied Action = "denied" // a caller with a token asked to act as another than it names
)

// Actions are those on a handoff, in the order of its life. Who asks for some by name is told which there are.
var Actions = []Action{
	Send, Approve, Refuse, Ready, Claim, Reclaim, Amend, Rebase, Progress, Ask,
	Answer, Unreserve, Complete, Fail, Reject, Decline, Release, Renew, Lost,
	Untaken, Silent, Requeue, Exhaust, Expire, Cancel, Dismiss, Forward, Accept, RefuseResult, Observe, Return, Retry, Rerun,
	Rollback, Escalate, Redo, Mark, Late, Defer, Resume, Redact,
}

package life

import "handoff/schemas"

// Action is an event in the life of a handoff. The value is the name of its event in the registry.
//
// One call may be one of several actions, depending on its outcome: an agent that refuses work rejects or declines it;
// when a lease ends, it is renewed, or the work is offered again, or its attempts are used up.
//
// All actions of callers have these errors in common, in addition to their own:
//   - not_found: no handoff has the id.
//   - conflict: the state of the handoff does not allow the action. The error names the handoff that replaced it, if
//     there is one.
//   - denied: the caller plays none of the parts that may do it. The error names them.
//   - limit: a text is longer than its limit. The error names the field.
//
// A call that is repeated with the same request id within 24 hours gets the result of the first call and does nothing.
// The remarks on repeats below are about calls without a request id.
type Action string

// Sending, and the conditions of a claim.
const (
	// Send puts a new handoff into the mailbox of an agent, or into a pool of agents that share a capability or a role.
	// Any agent or person may send. A completion that passes on work sends, too, and the rules send work that continues
	// after a failure. The handoff is pending. No agent can claim it while it waits for a time, for other handoffs or
	// for approval.
	//
	// The server asks human for approval if the sender wants it.
	//
	// The error is invalid for a field that makes no sense, such as a deadline in the past; not_found for an
	// unregistered recipient in a workspace with registered agents, and for a parent or workflow that does not exist;
	// conflict for a recipient that does not accept the type, for a dependency that ended without completion, and for a
	// key that was used for other content; limit for a chain of more than 10 handoffs, for a mailbox with 10,000
	// pending ones, and for a token that has reached its limit of pending ones.
	//
	// A sender that repeats a key gets the first result. Without a key, the server sends the same content twice, with a
	// warning within 10 minutes.
	Send Action = "sent"

	// Approve lets a handoff that waits for approval go on. Human does it while the handoff is pending. The handoff
	// stays pending and may be claimed from now on, if it has no other reason to wait. The server notifies the sender.
	//
	// The error is conflict for a handoff that does not wait for approval, so also for a repeat.
	Approve Action = "approved"

	// Refuse ends a handoff that waits for approval: it is rejected. Human does it, with a note. The server notifies
	// the sender and the senders of the handoffs that wait for it.
	//
	// The error is conflict for a handoff that does not wait for approval; Cancel ends such a handoff.
	Refuse Action = "refused"

	// Ready removes one reason for which a pending handoff waits. The clock does it: when its earliest start has come;
	// when a dependency was completed, or accepted if the handoff waits for acceptance; and when a dependency was
	// retried or returned, so that the handoff now waits for the new one. The handoff may be claimed when no reason is
	// left.
	Ready Action = "ready"

	// Amend changes the content of a handoff that is pending or whose holder has asked a question. The sender, the
	// owner of the workflow or human does it. Lists are extended, maps are merged, and other fields are replaced; every
	// earlier text stays with its event. An amendment can also give a pending handoff another recipient, other
	// dependencies or another earliest start. The state does not change.
	//
	// An approved handoff needs approval again if anyone but human amends it, and the server asks human.
	//
	// The error is invalid without a change; conflict for another recipient, dependency or time of a held handoff, for
	// a handoff that would wait for itself, and for a recipient that does not accept the work; denied if anyone but
	// human amends a held handoff that was approved; limit for more than 32 tags in all. A repeat extends the lists
	// again.
	Amend Action = "amended"

	// Rebase is an amendment of nothing but the base commit with which checks compare the work. It is also allowed
	// while the work is held, and after its completion, for a later check. The recipient and the last holder may not do
	// it, except human: the error is denied.
	Rebase Action = "rebased"
)

// Claiming, and the end of a claim without an outcome.
const (
	// Claim makes an agent the holder of a pending handoff: the recipient, or an agent that qualifies for its pool and
	// did not decline it. The agent gets a new claim token, and the tokens of earlier claims become void. The claim is
	// one more attempt, unless the claim before was released. The lease begins: 15 minutes over a connection; without a
	// connection 30 minutes, or twice the estimate if that is longer.
	//
	// The error is conflict for a handoff that another agent holds or that is blocked. An agent that claims its own
	// handoff again over the same connection gets the same claim, and there is no event.
	Claim Action = "claimed"

	// Reclaim gives the holder of a handoff a new claim of it after its connection is gone. The token and the
	// connection are new. The state stays, so an open question stays open. It is no new attempt. This way, a restarted
	// client gets its old work before new work.
	//
	// The error is conflict in the first two minutes after the server's start, while the server does not know whether
	// the old connection is gone.
	Reclaim Action = "reclaimed"

	// Release gives a claim back: the handoff is pending again, for its recipient or for another one that the caller
	// names, with all progress. The holder, the owner of the workflow or human does it, from any held state. The server
	// does it with a claim whose result cannot be delivered. The token becomes void, and the next claim is no new
	// attempt.
	//
	// The server notifies the holder if another caller did it. The error is stale for a claim that was lost before,
	// invalid for a claim without proof. A repeat is a conflict, because the handoff is pending then.
	Release Action = "released"

	// Renew extends a claim or a reservation when its time is over. The clock does it when a call reads the handoff. It
	// extends a claim while the holder's connection is open and the holder was heard of in the last two hours, in twice
	// the estimate, or in the longest session that it registered. Without a connection, it extends a claim for one
	// lease after the holder was last heard of. It also extends a claim by the time that the machine slept. No lease
	// passes the deadline. After the clock was set back, Renew cuts leases that would last too long.
	Renew Action = "renewed"

	// Lost cuts the lease of a claim whose connection is gone to two minutes, in which the holder can reclaim it. The
	// server does it when a connection ends. A handoff that waits for an answer has no lease and stays as it is.
	Lost Action = "disconnected"

	// NotTaken applies the sender's rule for a handoff that no agent claimed within 15 minutes: from now on its sender,
	// human, or the agents that accept anything may claim it instead of the recipients. The clock does it, once for
	// each such rule. The handoff goes on waiting if the rule says so, or if no agent accepts anything. The server
	// notifies the sender.
	NotTaken Action = "not_taken"

	// Silent notifies the sender that the holder was not heard of for long, with the last report, while the claim goes
	// on. The clock does it, once for each claim: after four thirds of a lease or twice the estimate, and before the
	// lease ends. It does not apply to handoffs that human or the sender itself holds.
	Silent Action = "silent"

	// Requeue makes a held handoff pending again if its lease ended and is not renewed. The clock does it while
	// attempts are left. The token of the holder stays valid until another claim: a holder that finishes late, before
	// the next claim, still succeeds.
	Requeue Action = "lease_ended"

	// Exhaust ends a held handoff whose lease ended in its last attempt: it is timed out. The clock does it. The server
	// notifies the sender and the senders of handoffs that wait for it, and human gets a handoff to decide.
	Exhaust Action = "attempts_used_up"

	// Expire ends an open handoff whose deadline passed: it is timed out. The clock does it, in every open state. The
	// server notifies the sender and the senders of handoffs that wait for it. It cancels unclaimed parts, and sends
	// the work to the agent in the rollback rule: rollback.on_failure of the send, else the sender.
	Expire Action = "timed_out"
)

// Actions of a holder before the outcome.
const (
	// Progress reports the holder's progress: a note, a percentage, a checkpoint, or only that it is at work. The
	// holder does it from any held state, and the handoff is working. The lease begins anew. Open questions are
	// withdrawn. Each call is one event.
	//
	// The error is stale for a claim that was lost, invalid for a claim without proof.
	Progress Action = "progress"

	// Mark stores a checkpoint: the state of the work, for the next holder. It comes with progress, with a failure that
	// leaves partial work, or at the end of a session that holds the handoff. The state does not change. The latest
	// checkpoint counts.
	Mark Action = "checkpoint"

	// Ask states the needs of the holder before it goes on. The holder does it when it has accepted the work or works
	// on it, and the handoff is waiting: no lease runs, and the token stays valid. The server notifies the sender, and
	// human, too, if the holder asks for a permission.
	//
	// The error is invalid without a question; limit for questions above a quarter of a handoff's maximum size; stale
	// for a claim that was lost. A holder that asked cannot ask again before it has an answer.
	Ask Action = "asked"

	// Answer answers the holder's questions. The sender, the owner of the workflow or human does it; only human grants
	// a permission. The answer becomes part of the context, and the handoff is pending. In a pool it is reserved for
	// the agent that asked, for 15 minutes. Its next claim is no new attempt. The server notifies the agent that asked.
	//
	// The error is invalid without an answer. A repeat is a conflict.
	Answer Action = "answered"

	// Unreserve offers an answered handoff to its whole pool, because the agent that asked did not come back for the
	// answer within 15 minutes. The clock does it.
	Unreserve Action = "unreserved"
)

// The ends of a handoff. An ended handoff is never opened again.
const (
	// Complete ends a handoff with a result. The holder does it from any held state; also from pending, if its lease
	// ended and there was no claim since. The result answers every criterion, and the outcome is success, or partial if
	// a criterion is not met.
	//
	// The server notifies the sender. Handoffs that wait for it may go on. If it was a retry, the server cancels
	// rollbacks and decisions that its failures left and that have no holder. It sends the work that the completion
	// passes on; if that is refused, nothing is completed either.
	//
	// The error is invalid for a criterion without an answer and for an output that does not meet its schema; conflict
	// if the expectations changed meanwhile; stale for a claim that was lost, and then the server stores the result as
	// late. The same result again gets the first result, with a warning.
	Complete Action = "completed"

	// RefuseResult notes that a completion was refused: a check was observed to fail, or a strict handoff has unmet
	// criteria. The caller gets the error conflict. The handoff stays with its holder, otherwise unchanged, and there
	// is no notice. The server remembers the failed checks until they are observed to pass. It stores at most eight
	// refusals of an attempt, and equal ones only once.
	RefuseResult Action = "completion_refused"

	// Fail ends a handoff without a result. The holder does it, from the states of Complete. The server stores the
	// holder's partial work as a checkpoint.
	//
	// The server notifies the sender. Then the work goes on as the holder chooses: back to an agent of the workflow
	// (rollback, the default), once more (retry; to human if no attempt or no other agent is left), to human
	// (escalate), or not at all (stop). The server notifies the senders of handoffs that still wait for it.
	//
	// The error is invalid for a rollback to an agent outside of the workflow; stale as for Complete. The same failure
	// again gets the first result, with a warning.
	Fail Action = "failed"

	// Reject ends a handoff that its recipient will not do: one addressed to it by name, or one whose pool has no other
	// agent left. The recipient does it before its claim, the holder while the handoff is accepted or waiting. The
	// server notifies the sender, with the agent that could do it instead, and the senders of handoffs that wait for
	// it.
	//
	// The error is conflict while the handoff is working. The same words again get the first result.
	Reject Action = "rejected"

	// Decline leaves a handoff of a pool to the other qualified agents, and excludes the caller from now on. A claim of
	// the caller ends, and is no attempt. There is no notice. The result of a repeat says that the caller declined
	// before.
	Decline Action = "declined"

	// Cancel ends an open handoff that is no longer wanted. The sender, the owner of the workflow or human does it; the
	// rules do it to unclaimed parts of work that fails. The server notifies the sender, the holder, the recipient, and
	// the senders of handoffs that wait for it, except the caller itself. The children of the handoff go on; the result
	// names them.
	//
	// A repeat is a conflict.
	Cancel Action = "cancelled"

	// Dismiss marks a handoff that failed, was rejected or timed out as finished: no agent will continue its work. For
	// a completed step after which a workflow waits for a file or for leave, it means that no step follows. The sender,
	// the owner of the workflow or human does it, by cancelling it. The state does not change. Handoffs that wait for
	// it stay blocked. The server notifies the sender, and the handoff no longer needs a person.
	//
	// The error is conflict if another handoff replaced it. A repeat is a conflict.
	Dismiss Action = "dismissed"

	// Accept says that the result of a completed handoff is good enough. The sender, the owner of the workflow, human,
	// or the agent that holds a verification request about it does it, and may add a note. The state does not change.
	//
	// The server notifies its holder, and handoffs that wait for the acceptance may go on. A repeat changes nothing,
	// with a warning.
	Accept Action = "accepted"

	// Observe stores observations of checks that ran after the completion of the work. A process of this machine that
	// has the checkout does it, in the name of system. The state does not change. A failed check makes the outcome
	// partial. An outcome that was partial only because checks were not observed becomes success when all pass, and
	// handoffs that wait for it may go on. The server notifies the sender of both.
	//
	// The error is invalid for a commit other than the delivered one. A repeat replaces the observations.
	Observe Action = "observed"

	// Return gives back a completed handoff whose result is not good enough. The sender, the owner of the workflow,
	// human, or the agent that holds a verification request about it does it, with criteria for the next round, or with
	// a note from which the server makes them. The handoff is returned. Its holder, or an agent that the caller names,
	// gets a new handoff: the rework, with the old and the new criteria. Handoffs that wait for the returned one, or
	// waited for it and were not begun, wait for the rework. The result names handoffs that were begun, and the server
	// notifies their holders.
	//
	// The error is invalid without a note and criteria; limit for a chain that is too long and for a token with too
	// many pending handoffs. It can be done once: a repeat is a conflict that names the new handoff.
	Return Action = "returned"

	// Late stores an outcome that came after its claim was lost, or after the handoff ended without an outcome. The
	// state does not change, because another agent may be at work or have finished. The server notifies the sender. It
	// stores at most eight late results of a handoff, and equal ones only once. The caller gets the error stale.
	Late Action = "late"
)

// Redact removes texts from the stored content of a handoff, in any state, or of a message. A person does it. The event
// names the events whose content it replaced, with the digests of the new content, so the registry verifies. Notices
// about the handoff lose their texts, and a search finds it only by the remaining words. A repeat with nothing left to
// replace is invalid.
const Redact Action = schemas.Redacted

// Handoffs that continue the work. Each of these actions records the new handoff on the old one, whose state stays.
const (
	// Forward records the handoff that the completion passed on, or that a rule of a file sent because of an event of
	// the handoff.
	Forward Action = "passed_on"

	// Retry sends a handoff again that ended without a result: failed, rejected, timed out or cancelled. The sender,
	// the owner of the workflow or human does it. The new handoff has the same content, with the known reasons for the
	// end of the first one. In a pool it excludes the last holder, if another agent qualifies. Handoffs that waited for
	// the first one wait for the new one. A note is passed on as an answer, and changes are merged as by Amend. The
	// result warns of a rollback of the first one that has no holder or that the caller holds.
	//
	// The error is conflict while another agent holds a rollback of the first one, and limit for a token with too many
	// pending handoffs. A repeat names the same new handoff.
	Retry Action = "retried"

	// Rerun is a retry that the holder requested with its failure, or by an agent that a rejection named.
	Rerun Action = "tried_again"

	// Rollback sends the work back after a failure or a deadline, to the agent that continues it.
	Rollback Action = "rolled_back"

	// Escalate sends human a handoff to decide, after a failure or when all attempts are used up.
	Escalate Action = "escalated"

	// Redo sends returned work to the agent that did it.
	Redo Action = "given_back"
)

// Consequences of an action that are too many for one transaction.
const (
	// Defer notes on an ended handoff the remaining consequences of its end: 1,000 other handoffs were processed, and
	// more are left. The clock does it in the same transaction, so that none is lost if the process ends.
	Defer Action = "deferred"

	// Resume continues deferred consequences. The clock does it at once in another transaction, or at the start of the
	// next call of any caller. Consequences that are too many for that transaction are deferred again.
	Resume Action = "resumed"
)

// Import records the origin of an imported handoff, and its changes on the way: a claim does not come along. The event
// has a [schemas.Imported]. No caller does it to a handoff of this workspace.
const Import Action = "imported"

// Events in the registry that are about no handoff.
const (
	// Register stores an agent's own registration. The agent does it, or a caller that may act as any agent. The event
	// has the registration. A repeat is another event.
	Register Action = "registered"
	// Declare stores the rules that a file declares, instead of its earlier ones. The process that has the file does
	// it. The event has the rules.
	Declare Action = "declared"
	// Message leaves an agent a notice that another agent or a person wrote. Any agent or person may send one. The
	// event has the whole message. It makes no record, so it cannot be claimed and has no consequences.
	Message Action = "message"
	// Recall takes back a message that was not read. Its sender does it. The notice is gone; its content stays with the
	// event of the message. The error is conflict for a message that was read.
	Recall Action = "recalled"
	// TokenAdd stores a token for callers over HTTP. A person does it. The event has the name, the agents and the
	// limits of the token, and neither its secret nor the hash of the secret.
	TokenAdd Action = "token_added"
	// TokenRevoke makes a token void. A person does it. It can be done once; a repeat is no event.
	TokenRevoke Action = "token_revoked"
	// Denied records that a caller with a token asked to act as an agent that the token does not name. The server
	// stores it at most once a minute for each token, with the number of attempts since.
	Denied Action = "denied"
)

// Actions lists all actions on a handoff, in the order of its life. Errors about an unknown action quote this list.
var Actions = []Action{
	Send, Approve, Refuse, Ready, Claim, Reclaim, Amend, Rebase, Progress, Ask,
	Answer, Unreserve, Complete, Fail, Reject, Decline, Release, Renew, Lost,
	NotTaken, Silent, Requeue, Exhaust, Expire, Cancel, Dismiss, Forward, Accept, RefuseResult, Observe, Return, Retry, Rerun,
	Rollback, Escalate, Redo, Mark, Late, Defer, Resume, Redact,
}

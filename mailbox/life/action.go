package life

import "handoff/schemas"

// Action is a change of a handoff. The value is the name of its event in the registry.
//
// One call may be one of several actions, depending on its outcome. For example, an agent that refuses work either
// rejects or declines the handoff.
//
// All actions of callers have these errors in addition to their own errors:
//   - not_found: no handoff has the id.
//   - conflict: the state of the handoff does not allow the action. If another handoff replaced the handoff, the error
//     names the replacement.
//   - denied: the caller plays none of the parts that may do the action. The error names these parts.
//   - limit: a text is longer than its limit. The error names the field.
//
// A call that is repeated with the same request id within 24 hours gets the result of the first call and changes
// nothing. The remarks about repeats below are about calls without a request id. "Human" is the agent name of a person.
type Action string

// Sending, and the conditions of a claim.
const (
	// Send puts a new handoff into the mailbox of an agent or of a pool. Any agent or person may send. A completion
	// with a continuation also sends, and the rules send the work that continues after a failure. The handoff is
	// pending. No agent can claim the handoff before its earliest start, while it has open dependencies, or before its
	// approval.
	//
	// The server asks human for approval if the sender wants approval.
	//
	// The error is invalid for a senseless field, such as a deadline in the past. It is not_found for an unregistered
	// recipient in a workspace with registered agents, and for an unknown parent or workflow. It is conflict for a
	// recipient that does not accept the type, for a dependency that ended without completion, and for an idempotency
	// key that was used for other content. It is limit for a chain of more than 10 handoffs, for a mailbox with 10,000
	// pending handoffs, and for a token that has reached its limit of pending handoffs.
	//
	// A sender that repeats an idempotency key gets the first result. Without a key, the server sends the same content
	// twice, and warns the sender if both sends came within 10 minutes.
	Send Action = "sent"

	// Approve permits a pending handoff that waits for approval. A person does it. The handoff stays pending and may be
	// claimed, if it has no other reason to wait. The server notifies the sender.
	//
	// The error is conflict for a handoff that does not wait for approval, and therefore for a repeat.
	Approve Action = "approved"

	// Refuse ends a handoff that waits for approval: the handoff is rejected. A person does it, with a note. The server
	// notifies the sender, and the senders of the handoffs that depend on it.
	//
	// The error is conflict for a handoff that does not wait for approval; Cancel ends such a handoff.
	Refuse Action = "refused"

	// Ready removes one reason for which a pending handoff waits. The clock does it in three cases:
	//   - The earliest start of the handoff has come.
	//   - A dependency was completed, or was accepted if the handoff waits for acceptance.
	//   - A dependency was retried or returned, so that the handoff now depends on the new handoff.
	//
	// The handoff may be claimed when no reason is left.
	Ready Action = "ready"

	// Amend changes the content of a handoff that is pending or whose holder has asked a question. The sender, the
	// owner of the workflow or human does it. An amendment extends lists, merges maps and replaces other fields.
	// Earlier texts stay with their events. An amendment can also give a pending handoff another recipient, other
	// dependencies or another earliest start. The state does not change.
	//
	// If an agent amends an approved handoff, the handoff needs approval again, and the server asks human.
	//
	// The error is invalid for an amendment without a change. It is conflict for another recipient, dependency or time
	// of a held handoff, for a handoff that would depend on itself, and for a recipient that does not accept the work.
	// It is denied if an agent amends a held handoff that was approved. It is limit for more than 32 tags. A repeat
	// extends the lists again.
	Amend Action = "amended"

	// Rebase is an amendment of only the base commit with which checks compare the work. It is also allowed while an
	// agent holds the handoff, and after its completion, for a later check. The error is denied for the recipient and
	// the last holder, unless the caller is human.
	Rebase Action = "rebased"
)

// Claiming, and the end of a claim without an outcome.
const (
	// Claim makes an agent the holder of a pending handoff. The agent is the recipient, or qualifies for the pool and
	// did not decline the handoff. The agent gets a new claim token, and the tokens of earlier claims become void. The
	// claim counts as a new attempt, unless the earlier claim was released. The lease lasts 15 minutes over a
	// connection. Without a connection it lasts 30 minutes or twice the estimate, the longer of the two.
	//
	// The error is conflict for a handoff that is blocked or that another agent holds. An agent that already holds the
	// handoff over the same connection gets the same claim, and there is no event.
	Claim Action = "claimed"

	// Reclaim gives the holder of a handoff a new claim after its connection is gone. The holder gets a new token. The
	// state stays, so an open question stays open, and the attempt stays the same. This way, a restarted client gets
	// its old work before new work.
	//
	// The error is conflict in the first two minutes after the server's start, while the server does not know whether
	// the old connection is gone.
	Reclaim Action = "reclaimed"

	// Locate corrects the working tree of a claim. The process of the holder does it if HEAD changed while the call of
	// the claim waited for work. The state does not change.
	Locate Action = "located"

	// Release ends a claim: the handoff is pending again and keeps its progress. The caller may name another recipient.
	// The holder, the owner of the workflow or human does it, from any held state. The server releases a claim whose
	// result cannot be delivered. The token becomes void, and the next claim is no new attempt.
	//
	// If another caller did it, the server notifies the holder. The error is stale for a claim that was lost before,
	// and invalid for a claim without a token or connection. A repeat is a conflict, because the handoff is pending
	// then.
	Release Action = "released"

	// Renew extends a claim or a reservation whose time is over. The clock does it when a call reads the handoff. Over
	// an open connection, a claim is extended if the holder's last call about the handoff was not too long ago. The
	// limit is the longest of three times: two hours, twice the estimate, and the longest session that the holder
	// registered. Without a connection, a claim lasts for one lease after the holder's last call. Each claim is also
	// extended by the time that the machine slept. No lease ends after the deadline. After the clock was set back,
	// Renew cuts leases that would last too long.
	Renew Action = "renewed"

	// Lost cuts the lease of a claim to two minutes, because the connection of the claim ended. The server does it. In
	// these two minutes the holder can reclaim the handoff. A handoff that waits for an answer has no lease and does
	// not change.
	Lost Action = "disconnected"

	// NotTaken applies the sender's option no_takers to a handoff that no agent claimed within 15 minutes. From then on
	// the handoff is for another recipient, as the option says: the sender, human, or the agents that accept anything.
	// The exceptions are the option to wait, and a workspace in which no agent accepts anything: the handoff then goes
	// on waiting for its recipient. The clock does it, once for each time that a sender sets the option. The server
	// notifies the sender.
	NotTaken Action = "not_taken"

	// Silent notifies the sender that the holder has made no call for long. The notice has the last report, and the
	// claim goes on. The clock does it, once for each claim: after four thirds of a lease or twice the estimate, the
	// longer of the two, but before the lease ends. Silent does not apply to a handoff that human or the sender holds.
	Silent Action = "silent"

	// Requeue makes a held handoff pending again, because its lease ended and was not renewed. The clock does it while
	// attempts are left. The holder's token stays valid until another claim, so a holder that finishes late can still
	// complete the handoff before the next claim.
	Requeue Action = "lease_ended"

	// Exhaust ends a held handoff whose lease ended in its last attempt: the handoff is timed out. The clock does it.
	// The server notifies the sender, and the senders of handoffs that depend on it. Human gets a handoff that asks for
	// a decision.
	Exhaust Action = "attempts_used_up"

	// Expire ends an open handoff whose deadline passed: the handoff is timed out. The clock does it. The server
	// notifies the sender, and the senders of handoffs that depend on it. The server cancels unclaimed parts. It sends
	// the work to the agent in the sender's field rollback.on_failure, or to the sender if that field is empty.
	Expire Action = "timed_out"
)

// Actions of a holder before the outcome.
const (
	// Progress reports the holder's progress: a note, a percentage, a checkpoint, or only that the holder is at work.
	// The holder does it from any held state, and the handoff is working. The lease begins anew. Open questions are
	// withdrawn. Each call is one event.
	//
	// The error is stale for a claim that was lost, and invalid for a claim without a token or connection.
	Progress Action = "progress"

	// Mark stores a checkpoint: the state of the work, for the next holder. The server stores one with a progress
	// report, with a failure that leaves partial work, or at the end of a session that holds the handoff. The state of
	// the handoff does not change. The latest checkpoint counts.
	Mark Action = "checkpoint"

	// Ask stores questions of the holder. The holder needs their answers before it goes on. The holder does it from
	// accepted or working, and the handoff is waiting: no lease runs, and the token stays valid. The server notifies
	// the sender. If the holder asks for a permission, the server also notifies human.
	//
	// The error is invalid without a question, limit for questions above a quarter of a handoff's maximum size, and
	// stale for a claim that was lost. A holder cannot ask again before it has an answer.
	Ask Action = "asked"

	// Answer answers the holder's questions. The sender, the owner of the workflow or human does it, but only human
	// grants a permission. The answer becomes part of the context, and the handoff is pending. In a pool the handoff is
	// reserved for 15 minutes for the agent that asked. The next claim is no new attempt. The server notifies the agent
	// that asked.
	//
	// The error is invalid without an answer. A repeat is a conflict.
	Answer Action = "answered"

	// Unreserve offers a reserved handoff to its whole pool, because the agent that asked, or that was told first, did
	// not claim the handoff in time, or has no session any more. The clock does it.
	Unreserve Action = "unreserved"
)

// The ends of a handoff. An ended handoff is never opened again.
const (
	// Complete ends a handoff with a result. The holder does it from any held state. The last holder also does it from
	// pending, if its lease ended and no agent has claimed the handoff since. The result answers every criterion. The
	// outcome is success, or partial if a criterion is not met.
	//
	// The server notifies the sender, and unblocks handoffs that depend on this handoff. For a retry, the server
	// cancels unclaimed rollbacks and decisions that the earlier failures left. The server sends the continuation that
	// the completion names. If this send is refused, the completion is undone, unless a limit of the workflow refused
	// the send.
	//
	// The error is invalid for a criterion without an answer and for an output that does not meet its schema. It is
	// conflict if the expectations changed meanwhile. It is stale for a claim that was lost, and the server then stores
	// the result as late. The same result again gets the first result, with a warning.
	Complete Action = "completed"

	// RefuseResult records that a completion was refused: a check failed, criteria are not answered or not met, the
	// output does not meet its schema, or the holder says that the work is not done. The caller gets the error conflict
	// or invalid, and the handoff stays with its holder. There is no notice. The server remembers the failed checks
	// until a later run of the checks passes. It stores at most eight refusals of an attempt, and equal refusals only
	// once.
	RefuseResult Action = "completion_refused"

	// Fail ends a handoff without a result. The holder does it, from the states of Complete. The server stores the
	// holder's partial work as a checkpoint, and notifies the sender. Then the work continues as the holder chooses:
	//   - rollback, the default, sends the work back to an agent of the workflow.
	//   - retry sends the work again, or to human if no attempt or no other agent is left.
	//   - escalate sends the work to human.
	//   - stop ends the work.
	//
	// The server notifies the senders of handoffs that stay blocked. The error is invalid for a rollback to an agent
	// outside of the workflow, and stale as for Complete. The same failure again gets the first result, with a warning.
	Fail Action = "failed"

	// Reject ends a handoff that its recipient refuses. The handoff is addressed to the recipient by name, or its pool
	// has no other agent left. The recipient does it before a claim, the holder while the handoff is accepted or
	// waiting. The server notifies the sender, and names the agent that could do the work instead. The server also
	// notifies the senders of handoffs that depend on this one.
	//
	// The error is conflict while the handoff is working. The same reason again gets the first result.
	Reject Action = "rejected"

	// Decline leaves a handoff of a pool to the other qualified agents, and excludes the caller from this handoff. A
	// claim of the caller ends and does not count as an attempt. There is no notice. A repeat changes nothing, and its
	// result says that the caller has already declined.
	Decline Action = "declined"

	// Cancel ends an open handoff that is no longer wanted. The sender, the owner of the workflow or human does it. The
	// rules cancel unclaimed parts of work that fails. The server notifies the sender, the holder, the recipient, and
	// the senders of handoffs that depend on this one, except the caller. The children of the handoff continue, and the
	// result names these children.
	//
	// A repeat is a conflict.
	Cancel Action = "cancelled"

	// Dismiss records that no agent will continue the work of a handoff that failed, was rejected or timed out. For a
	// completed step after which a workflow waits for a file or for a permission, Dismiss means that no step follows.
	// The sender, the owner of the workflow or human does it by a cancel call. The state does not change, and dependent
	// handoffs stay blocked. The server notifies the sender, and the handoff no longer needs a person.
	//
	// The error is conflict if another handoff replaced the handoff. A repeat is a conflict.
	Dismiss Action = "dismissed"

	// Accept says that the result of a completed handoff is good enough. The sender, the owner of the workflow, human,
	// or the agent that holds a verification request about the handoff does it, and may add a note. The state does not
	// change.
	//
	// The server notifies the holder, and unblocks handoffs that wait for the acceptance. A repeat changes nothing and
	// gets a warning.
	Accept Action = "accepted"

	// Observe stores results of checks that ran after the completion of the work. A process of this machine that has
	// the checkout does it, in the name of system. The state does not change. A failed check makes the outcome partial.
	// If the outcome was partial only because checks were not run, and all checks pass now, the outcome becomes
	// success. The server notifies the sender of either change.
	//
	// The error is invalid for a commit that is not the delivered commit. A repeat replaces the results.
	Observe Action = "observed"

	// Return gives back a completed handoff whose result is not good enough. The sender, the owner of the workflow,
	// human, or the agent that holds a verification request about the handoff does it. The caller gives criteria for
	// the next round, or a note from which the server makes criteria. The handoff is returned. Its holder, or an agent
	// that the caller names, gets a new handoff: the rework, with the old and the new criteria. Dependent handoffs that
	// were not begun wait for the rework. The result names dependent handoffs that were begun, and the server notifies
	// their holders.
	//
	// The error is invalid without a note and criteria. It is limit for a chain that is too long, and for a token with
	// too many pending handoffs. A handoff can be returned once: a repeat is a conflict that names the rework.
	Return Action = "returned"

	// Late stores an outcome that came after its claim was lost, or after the handoff ended without an outcome. The
	// state does not change, because another agent may be at work or have finished. The server notifies the sender. The
	// server stores at most eight late outcomes of a handoff, and equal outcomes only once. The caller gets the error
	// stale.
	Late Action = "late"
)

// Redact removes texts from the stored content of a handoff, in any state, or of a message. A person does it. The event
// names each event whose content changed, with the digest of the new content, so an audit still verifies the registry.
// Notices about the handoff lose their texts, and a search finds the handoff only by the remaining words. A repeat with
// nothing left to replace is invalid.
const Redact Action = schemas.Redacted

// Handoffs that continue the work. Each of these actions records the new handoff on the old one, whose state stays.
const (
	// Forward records the handoff to which a completion passed the work on, or that a rule of a file sent because of an
	// event of the handoff.
	Forward Action = "passed_on"

	// Retry sends a failed, rejected, timed-out or cancelled handoff again. The sender, the owner of the workflow or
	// human does it. The new handoff has the same content, with the reasons for the end of the first handoff. In a pool
	// the last holder is excluded, if another agent qualifies. Handoffs that depended on the first handoff depend on
	// the new one. The caller's note becomes an answer, and its changes are merged as by Amend. The result warns of an
	// open rollback of the first handoff.
	//
	// The error is conflict while another agent holds a rollback of the first handoff, and limit for a token with too
	// many pending handoffs. A repeat names the same new handoff.
	Retry Action = "retried"

	// Rerun is a retry that the holder chose with its failure, or a send to the agent that a rejection named.
	Rerun Action = "tried_again"

	// Rollback sends the work back after a failure or a deadline, to the agent that continues it.
	Rollback Action = "rolled_back"

	// Escalate sends human a handoff that asks for a decision, after a failure, after the rejection of the last attempt,
	// or when all attempts are used up.
	Escalate Action = "escalated"

	// Redo sends returned work to the agent that did it.
	Redo Action = "given_back"
)

// Consequences of an action that are too many for one transaction.
const (
	// Defer stores the remaining consequences of an ended handoff in its record, because 1,000 other handoffs were
	// processed and more are left. The clock does it in the transaction that ends the handoff, so no consequence is
	// lost if the process dies.
	Defer Action = "deferred"

	// Resume carries out deferred consequences. The clock does it at once in another transaction, or at the start of
	// the next call of any caller. Consequences that are too many for that transaction are deferred again.
	Resume Action = "resumed"
)

// Import records the origin of an imported handoff, and the loss of its claim. The event has a [schemas.Imported]. No
// caller does it to a handoff of this workspace.
const Import Action = "imported"

// Events in the registry that change no handoff.
const (
	// Register stores an agent's own registration. The agent does it, or a caller that may act as any agent. The event
	// has the registration. A repeat makes another event.
	Register Action = "registered"
	// Declare stores the rules that a file declares, and replaces earlier rules of the file. The process that has the
	// file does it. The event has the rules.
	Declare Action = "declared"
	// Message puts a notice that another agent or a person wrote into the mailbox of an agent. Any agent or person may
	// do it. The event has the whole message. A message has no record, so it cannot be claimed and has no consequences.
	// If it has a parent, the event is one of the parent, which does not change.
	Message Action = "message"
	// Recall takes back a message that was not read. Its sender does it. The notice is deleted; its content stays with
	// the event of the message. The error is conflict for a message that was read.
	Recall Action = "recalled"
	// TokenAdd stores a token for callers over HTTP. A person does it. The event has the name, the agents and the
	// limits of the token, and neither its secret nor the hash of the secret.
	TokenAdd Action = "token_added"
	// TokenRevoke makes a token void. A person does it. A repeat makes no event.
	TokenRevoke Action = "token_revoked"
	// Denied records that a caller with a token tried to act as an agent that the token does not name. The server
	// stores it at most once a minute for each token, with the number of attempts since the last event.
	Denied Action = "denied"
)

// Actions lists all actions on a handoff, in the order of its life. Errors about an unknown action quote this list.
var Actions = []Action{
	Send, Approve, Refuse, Ready, Claim, Reclaim, Locate, Amend, Rebase, Progress, Ask,
	Answer, Unreserve, Complete, Fail, Reject, Decline, Release, Renew, Lost,
	NotTaken, Silent, Requeue, Exhaust, Expire, Cancel, Dismiss, Forward, Accept, RefuseResult, Observe, Return, Retry, Rerun,
	Rollback, Escalate, Redo, Mark, Late, Defer, Resume, Redact,
}

package life

import (
	_ "embed"
	"slices"
	"sync"

	"handoff/schemas"
)

// Consequence is a step that an action on a handoff causes: a notice, or a new or changed handoff. It runs in the
// transaction of the action, in the name of the agent that did the action, and that agent gets no notice. A consequence
// for many handoffs skips unreadable handoffs. In the comments below, "the handoff" is the handoff of the action.
type Consequence string

// The consequences.
const (
	// AskApproval sends human a notice that the handoff waits for approval, with the command that approves the handoff.
	AskApproval Consequence = "ask human for approval"
	// TellSender sends the sender of the handoff a notice. If the rules sent the handoff, the owner of the workflow
	// gets the notice, or human if the rules also own the workflow.
	TellSender Consequence = "tell the sender"
	// TellHolder sends a notice to the agent that held the handoff before the action, so that this agent stops.
	TellHolder Consequence = "tell the holder"
	// TellRecipient sends a notice to the agent that the handoff is addressed to by name, unless the agent held or sent
	// the handoff. A pool gets no notice.
	TellRecipient Consequence = "tell the recipient"
	// TellAnswerer sends a notice to the agent that has to answer: the agent that TellSender notifies, or human if that
	// agent asks the question.
	TellAnswerer Consequence = "tell who is to answer"
	// TellAsker sends a notice to the agent that asked, which may claim the handoff again.
	TellAsker Consequence = "tell the agent that asked"
	// TellHuman sends human a notice, because only human grants a permission.
	TellHuman Consequence = "tell human"
	// TellSendersOfDependents sends a notice to the sender of each open handoff that depends on the handoff. The notice
	// says that the handoff ended and was not done well. The dependent handoffs stay blocked until the handoff is
	// retried, accepted or returned.
	TellSendersOfDependents Consequence = "tell the senders of those that wait for it"
	// UnblockDependents removes the handoff from the dependencies of each open handoff that depends on it. A dependent
	// without further dependencies may then be claimed. UnblockDependents does nothing if the handoff was not done
	// well. A dependent that waits for the acceptance of the handoff stays blocked until the acceptance.
	UnblockDependents Consequence = "let those go on that wait for it"
	// MoveDependents makes each open dependent of the handoff depend on the handoff that replaces it. If that handoff
	// was done well meanwhile, the dependents are unblocked.
	MoveDependents Consequence = "let those that wait for it wait for the new one"
	// UnblockAfterRollback concerns a completed rollback of a failed handoff, if the server counts the rollback as the
	// completion of that work. Each open dependent of the failed handoff then depends on the rollback. If the rollback
	// was done well, the dependents are unblocked.
	UnblockAfterRollback Consequence = "let those go on that wait for what it took back"
	// BlockDependentsAgain concerns dependents that were unblocked because the handoff was done well. A pending one
	// depends again on the handoff, or on the handoff that replaces it. If a dependent was begun, its holder gets a
	// notice.
	BlockDependentsAgain Consequence = "let those that waited for it wait for the new one"
	// RestoreDependencies concerns a handoff that has lost its holder. If dependencies were returned since the handoff
	// was begun, the handoff waits for their rework.
	RestoreDependencies Consequence = "let it wait for the rework of what was returned meanwhile"
	// CancelParts cancels the children of the handoff that its holder sent and that no agent claimed. Questions to
	// human stay.
	CancelParts Consequence = "cancel the parts that its holder sent and nobody claimed"
	// CancelLeftovers cancels unclaimed handoffs that the rules sent when earlier attempts of the handoff failed:
	// rollbacks and decisions that are no longer needed. Each cancelled handoff names the handoff that did the work.
	CancelLeftovers Consequence = "cancel what is left of the attempts before it"
	// SendContinuation sends the continuation that the completion names, as a child of the handoff. If this send is
	// refused because of the caller's input, the completion is undone, too.
	SendContinuation Consequence = "send what its completion passes on"
	// SendByRules sends the handoffs of the rules of files, as children, and records the first child on the handoff. A
	// refused rule, for example for a chain that is too long, stops no other rule: the owner of the workflow and human
	// get a notice.
	SendByRules Consequence = "send what the rules of files say"
	// SendRework sends the work of a returned handoff to its holder again, as a child with the reasons.
	SendRework Consequence = "send it to its holder again"
	// SendAgain sends the same work again to the same address. The new handoff has the same parent as the handoff.
	SendAgain Consequence = "send it again"
	// SendToNamedAgent sends the same work to the agent that the rejection named. The new handoff has the same parent
	// as the handoff.
	SendToNamedAgent Consequence = "send it to the agent that was named instead"
	// SendRollback sends the failure back as a child: to the agent that the holder named, or else to
	// rollback.on_failure of the send, or else to the sender. If the chain is too long, human gets a notice instead. A
	// review that gave no verdict goes to another reviewer: to the agent that its holder named, or else to the sender
	// of the reviewed work, or else to human.
	SendRollback Consequence = "send it back as the rollback rule says"
	// SendReview sends a result to its reviewer. The send may be refused, for example because a limit of the workflow
	// is used up. Then the owner of the workflow and human get a notice, and the sender judges the result.
	SendReview Consequence = "send its result to its reviewer"
	// ApplyVerdict applies the verdict of a review to the reviewed work, in the name of the reviewer. It accepts the
	// work, or returns the work with the reviewer's points. If no round is left, or the return is refused, human gets a
	// review that asks for a decision.
	ApplyVerdict Consequence = "accept or return what it reviewed"
	// CancelReview cancels the open review of a result, because the result was judged another way.
	CancelReview Consequence = "cancel its review"
	// SendToDecider sends human a child that asks for a decision. If the chain is too long, human gets a notice
	// instead.
	SendToDecider Consequence = "send it to human to decide"
)

// AffectsOthers reports whether the consequence goes through other handoffs. The other handoffs may be many, so the
// consequence may be interrupted and deferred. Any other consequence runs at once.
func (c Consequence) AffectsOthers() bool {
	return slices.Contains([]Consequence{TellSendersOfDependents, UnblockDependents, UnblockAfterRollback, MoveDependents, BlockDependentsAgain, CancelParts}, c)
}

// Condition says in which cases an action has a consequence. It is evaluated once for each action, from the record
// before and after the action and from the caller's input.
type Condition string

// The conditions.
const (
	// Always holds.
	Always Condition = "always"
	// NeedsApproval holds if the handoff waits for approval now and did not before: after a send, or after an agent
	// amended an approved handoff.
	NeedsApproval Condition = "it needs approval from now on"
	// NeedsPermission holds if the holder asks for a permission that only a person grants.
	NeedsPermission Condition = "a permission is asked for"
	// HeldByAnother holds if the holder is not the sender.
	HeldByAnother Condition = "its holder is not its sender"
	// GetsNewRecipient holds if the action gives the handoff another recipient.
	GetsNewRecipient Condition = "it is for another from now on"
	// IsRetry holds if the handoff repeats one that failed before.
	IsRetry Condition = "it is a retry"
	// HasParent holds if the handoff is a part of another, or continues it.
	HasParent Condition = "it has a parent"
	// Reviewed holds if a reviewer judges the result before the result counts. IsReview holds if the handoff is the
	// review of another handoff.
	Reviewed Condition = "its result is reviewed"
	IsReview Condition = "it is a review"
	// HasContinuation holds if a completion names a recipient that continues the work after the result counts.
	HasContinuation Condition = "the completion passes on"
	// Routed holds if a rule of a file fires; Unrouted if none does.
	Routed   Condition = "a rule of a file fires"
	Unrouted Condition = "no rule of a file fires"
	// NamesAlternative holds if the rejection names an agent that may do the work, and no rule fires.
	NamesAlternative Condition = "the rejection names an agent that may do it"
	// CheckFails holds if a check was observed to fail.
	CheckFails Condition = "a check does not pass"
	// NotDoneWell holds if the handoff ended, was not done well, and has no reviewer. NowDoneWell holds if the action
	// changed the handoff from not done well to done well. NoLongerDoneWell holds for the opposite change.
	NotDoneWell      Condition = "it was not done well, and nobody reviews it"
	NowDoneWell      Condition = "it is done well from now on"
	NoLongerDoneWell Condition = "it is done well no more"
	// ChecksPass holds if the outcome became a success, because checks that were not run before passed.
	ChecksPass Condition = "all checks pass from now on"
	// ThenRollback, ThenRetry and ThenEscalate hold if the holder chose that next step with its failure. A retry for
	// which no agent is left counts as an escalation, and so does the rejection of the last attempt. None of the three
	// holds if the holder chose to stop. ThenRollback and ThenEscalate do not hold if a rule of a file fires.
	// ThenRollback also holds for a review that ends without a verdict.
	ThenRollback Condition = "then is rollback"
	ThenRetry    Condition = "then is retry"
	ThenEscalate Condition = "then is escalate"
)

// ConsequenceRule is a consequence of an action under a condition.
type ConsequenceRule struct {
	After Action
	If    Condition
	Then  Consequence
}

// consequencesText is the whole table, with a row for each consequence of an action. The consequences of one action run
// from the first to the last. An action without a row has no consequences.
//
//go:embed consequences.txt
var consequencesText string

var consequences = sync.OnceValue(func() []ConsequenceRule {
	return schemas.Map(schemas.TableRows(consequencesText, 3), func(row []string) ConsequenceRule {
		return ConsequenceRule{Action(row[0]), Condition(row[1]), Consequence(row[2])}
	})
})

// ConsequencesOf returns the rules of an action, in their order, or nil if the action has no consequences. Package
// operation calls it after each change of a record, and runs the consequences in the same transaction. The golden file
// testdata/follows.txt shows the rules of every action.
func ConsequencesOf(a Action) (rows []ConsequenceRule) {
	for _, row := range consequences() {
		if row.After == a {
			rows = append(rows, row)
		}
	}
	return rows
}

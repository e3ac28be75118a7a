package life

import "slices"

// Consequence is a step that an action on a handoff causes: a notice, or a new or changed handoff. It runs in the
// transaction of the action, in the name of the agent that did the action, and that agent gets no notice. A consequence
// for many handoffs skips unreadable handoffs. In the comments below, "the handoff" is the one of the action.
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
	// TellWaiting sends a notice to the sender of each open handoff that depends on the handoff. The notice says that
	// the handoff ended and was not done well. The dependent handoffs stay blocked until the handoff is retried,
	// accepted or returned.
	TellWaiting Consequence = "tell the senders of those that wait for it"
	// FreeWaiting removes the handoff from the dependencies of each open handoff that depends on it. A dependent
	// without further dependencies may then be claimed. FreeWaiting does nothing if the handoff was not done well. A
	// dependent that waits for the acceptance of the handoff stays blocked until the acceptance.
	FreeWaiting Consequence = "let those go on that wait for it"
	// MoveWaiting makes each open dependent of the handoff depend on the new handoff instead. If the new handoff was
	// done well meanwhile, the dependents are unblocked.
	MoveWaiting Consequence = "let those that wait for it wait for the new one"
	// FreeTakenBack applies if the handoff took back the work of a failed handoff. It makes each open dependent of the
	// failed handoff depend on this handoff instead. If this handoff was done well, the dependents are unblocked.
	FreeTakenBack Consequence = "let those go on that wait for what it took back"
	// MoveFreed goes through the handoffs that depended on the handoff until it was done. It makes each pending one
	// depend on the new handoff, or on the same handoff again. It notifies the holders of handoffs that were begun.
	MoveFreed Consequence = "let those that waited for it wait for the new one"
	// WaitAgain concerns a handoff that has lost its holder. If dependencies were returned since the handoff was begun,
	// the handoff waits for their rework.
	WaitAgain Consequence = "let it wait for the rework of what was returned meanwhile"
	// CancelParts cancels the children of the handoff that its holder sent and that no agent claimed.
	CancelParts Consequence = "cancel the parts that its holder sent and nobody claimed"
	// EndLeftovers cancels unclaimed handoffs that the rules sent when earlier attempts of the handoff failed:
	// rollbacks and decisions that are no longer needed. Each cancelled handoff names the handoff that did the work.
	EndLeftovers Consequence = "cancel what is left of the attempts before it"
	// PassOn sends the work that a completion passes on, as a child of the handoff. This send may be refused because of
	// the caller's input. Then the completion is undone, too.
	PassOn Consequence = "send what its completion passes on" //nolint:gosec // no password
	// SendRouted sends the handoffs of the rules of files, as children, and records the first child on the handoff. A
	// refused rule, for example for a chain that is too long, stops no other rule: the owner of the workflow and human
	// get a notice.
	SendRouted Consequence = "send what the rules of files say"
	// SendBack sends the work of a returned handoff to its holder again, as a child with the reasons.
	SendBack Consequence = "send it to its holder again"
	// SendAgain sends the same work again to the same address. The new handoff has the same parent as the handoff.
	SendAgain Consequence = "send it again"
	// SendElsewhere sends the same work to the agent that the rejection named. The new handoff has the same parent as
	// the handoff.
	SendElsewhere Consequence = "send it to the agent that was named instead"
	// SendRollback sends the failure back as a child: to the agent that the holder named, or else to
	// rollback.on_failure of the send, or else to the sender. If the chain is too long, human gets a notice instead. A
	// review goes to the sender of the work, and then to human.
	SendRollback Consequence = "send it back as the rollback rule says"
	// SendReview sends a result to its reviewer. The send may be refused, for example because a limit of the workflow
	// is used up. Then the owner of the workflow and human get a notice, and the sender judges the result.
	SendReview Consequence = "send its result to its reviewer"
	// ApplyVerdict applies the verdict of a review to the reviewed work, in the name of the reviewer. It accepts the
	// work, or returns the work with the reviewer's points. If no round is left, or the return is refused, human gets a
	// review that asks for a decision.
	ApplyVerdict Consequence = "accept or return what it reviewed"
	// EndReview cancels the open review of a result, because the result was judged another way.
	EndReview Consequence = "cancel its review"
	// SendToDecider sends human a child that asks for a decision. If the chain is too long, human gets a notice
	// instead.
	SendToDecider Consequence = "send it to human to decide"
)

// AffectsOthers reports whether the consequence goes through other handoffs. The other handoffs may be many, so the
// consequence may be interrupted and deferred. Any other consequence runs at once.
func (c Consequence) AffectsOthers() bool {
	return slices.Contains([]Consequence{TellWaiting, FreeWaiting, FreeTakenBack, MoveWaiting, MoveFreed, CancelParts}, c)
}

// Condition says in which cases an action has a consequence. It is evaluated once for each action, from the record
// before and after the action and from the caller's input.
type Condition string

// The conditions.
const (
	// Always holds.
	Always Condition = ""
	// NeedsApproval holds if the handoff waits for approval now and did not before: after a send, or after an agent
	// amended an approved handoff.
	NeedsApproval Condition = "it needs approval from now on"
	// NeedsPermission holds if the holder asks for a permission that only a person grants.
	NeedsPermission Condition = "a permission is asked for"
	// HeldByAnother holds if the holder is not the sender.
	HeldByAnother Condition = "its holder is not its sender"
	// Readdressed holds if the handoff has another recipient from then on.
	Readdressed Condition = "it is for another from now on"
	// IsRetry holds if the handoff repeats one that failed before.
	IsRetry Condition = "it is a retry"
	// HasParent holds if the handoff is a part of another, or continues it.
	HasParent Condition = "it has a parent"
	// Reviewed holds if a reviewer judges the result before the result counts. IsReview holds if the handoff is the
	// review of another handoff.
	Reviewed Condition = "its result is reviewed"
	IsReview Condition = "it is a review"
	// PassesOn holds if a completion names a recipient that continues the work after the result counts.
	PassesOn Condition = "the completion passes on"
	// Routed holds if a rule of a file fires; Unrouted if none does.
	Routed   Condition = "a rule of a file fires"
	Unrouted Condition = "no rule of a file fires"
	// Redirects holds if the rejection names an agent that may do the work, and no rule fires.
	Redirects Condition = "the rejection names an agent that may do it"
	// CheckFails holds if a check was observed to fail.
	CheckFails Condition = "a check does not pass"
	// NotDoneWell holds if the handoff ended, was not done well, and has no reviewer. NowDoneWell holds if the action
	// changed the handoff from not done well to done well. NoLongerDoneWell holds for the opposite change.
	NotDoneWell      Condition = "it was not done well, and nobody reviews it"
	NowDoneWell      Condition = "it is done well from now on"
	NoLongerDoneWell Condition = "it is done well no more"
	// ChecksPass holds if the outcome became a success, because checks that were not run before passed.
	ChecksPass Condition = "all checks pass from now on"
	// ThenRollback, ThenRetry and ThenEscalate hold by the holder's choice after a failure. A retry for which no agent
	// is left counts as an escalation. None of the three holds if the holder chose to stop. ThenRollback does not hold
	// if a rule of a file fires. ThenRollback also holds for a review that ends without a verdict.
	ThenRollback Condition = "then is rollback"
	ThenRetry    Condition = "then is retry"
	ThenEscalate Condition = "then is escalate"
)

// ConsequenceRule lists the consequences of an action under a condition, in their order.
type ConsequenceRule struct {
	After Action
	If    Condition
	Then  []Consequence
}

// consequences is the whole table. The rules of one action run from the first to the last. An action without a rule has
// no consequences.
var consequences = []ConsequenceRule{
	{Send, NeedsApproval, consequenceList(AskApproval)},
	{Send, Routed, consequenceList(SendRouted)},
	{Amend, NeedsApproval, consequenceList(AskApproval)},
	{Approve, Always, consequenceList(TellSender)},
	{Refuse, Always, consequenceList(TellSender, TellWaiting)},
	{Refuse, ThenRollback, consequenceList(SendRollback)},
	{Ask, NeedsPermission, consequenceList(TellHuman)},
	{Ask, Always, consequenceList(TellAnswerer)},
	{Answer, Always, consequenceList(TellAsker)},
	{Release, Always, consequenceList(TellHolder, WaitAgain)},
	{Release, Readdressed, consequenceList(TellSender)},
	{NotTaken, Always, consequenceList(TellSender)},
	{Silent, Always, consequenceList(TellSender)},

	{Requeue, Always, consequenceList(WaitAgain)},
	{Decline, Always, consequenceList(WaitAgain)},

	{Complete, Always, consequenceList(TellSender, FreeWaiting)},
	{Complete, NotDoneWell, consequenceList(TellWaiting)},
	{Complete, HasParent, consequenceList(FreeTakenBack)},
	{Complete, IsRetry, consequenceList(EndLeftovers)},
	{Complete, Reviewed, consequenceList(SendReview)},
	{Complete, IsReview, consequenceList(ApplyVerdict)},
	{Complete, PassesOn, consequenceList(PassOn)},
	{Complete, Routed, consequenceList(SendRouted)},
	{Fail, Always, consequenceList(TellSender)},
	{Fail, ThenRollback, consequenceList(CancelParts, SendRollback)},
	{Fail, Routed, consequenceList(CancelParts, SendRouted)},
	{Fail, ThenRetry, consequenceList(SendAgain)},
	{Fail, ThenEscalate, consequenceList(SendToDecider)},
	{Fail, Always, consequenceList(TellWaiting)},
	{Reject, Always, consequenceList(TellSender)},
	{Reject, Redirects, consequenceList(SendElsewhere)},
	{Reject, ThenRollback, consequenceList(SendRollback)},
	{Reject, Always, consequenceList(TellWaiting)},
	{Reject, Routed, consequenceList(SendRouted)},
	{Expire, Always, consequenceList(TellSender, TellWaiting, CancelParts)},
	{Expire, Routed, consequenceList(SendRouted)},
	{Expire, Unrouted, consequenceList(SendRollback)},
	{Exhaust, Always, consequenceList(TellSender, TellWaiting)},
	{Exhaust, Routed, consequenceList(SendRouted)},
	{Exhaust, Unrouted, consequenceList(SendToDecider)},
	{Cancel, Always, consequenceList(TellSender)},
	{Cancel, HeldByAnother, consequenceList(TellHolder)},
	{Cancel, Always, consequenceList(TellRecipient)},
	{Cancel, Always, consequenceList(TellWaiting)},
	{Cancel, Routed, consequenceList(SendRouted)},
	{Cancel, ThenRollback, consequenceList(SendRollback)},
	{Dismiss, Always, consequenceList(TellSender)},

	{Accept, Always, consequenceList(TellHolder, EndReview, FreeWaiting)},
	{Accept, PassesOn, consequenceList(PassOn)},
	{Accept, Routed, consequenceList(SendRouted)},
	{Observe, CheckFails, consequenceList(TellSender)},
	{Observe, NowDoneWell, consequenceList(FreeWaiting)},
	{Observe, NoLongerDoneWell, consequenceList(MoveFreed)},
	{Observe, Routed, consequenceList(SendRouted)},
	{Observe, ChecksPass, consequenceList(TellSender)},
	{Return, Always, consequenceList(EndReview, SendBack)},
	{Return, Routed, consequenceList(SendRouted)},
	{Redo, Always, consequenceList(MoveWaiting, MoveFreed)},
	{Retry, Always, consequenceList(MoveWaiting)},
	{Rerun, Always, consequenceList(MoveWaiting)},
	{Late, Always, consequenceList(TellSender)},
}

func consequenceList(follow ...Consequence) []Consequence { return follow }

// ConsequencesOf returns the rules of an action, in their order, or nil if the action has no consequences. Package
// operation calls it after each change of a record, and runs the consequences in the same transaction. The golden file
// testdata/follows.txt shows the rules of every action.
func ConsequencesOf(a Action) (rows []ConsequenceRule) {
	for _, row := range consequences {
		if row.After == a {
			rows = append(rows, row)
		}
	}
	return rows
}

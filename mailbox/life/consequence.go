package life

import "slices"

// Consequence is a step that follows from an action on a handoff: a notice, or a new or changed handoff. It runs in the
// transaction of the action, in the name of the agent that acted. That agent gets no notice of it. A consequence that
// goes through waiting handoffs, or through parts, skips unreadable ones.
type Consequence string

// The consequences.
const (
	// AskApproval leaves human a notice that the handoff waits for approval, with the command that approves it. No
	// agent can claim the handoff until human decides.
	AskApproval Consequence = "ask human for approval"
	// TellSender leaves the sender of the handoff a notice. If the rules sent it, the owner of the workflow gets the
	// notice, or human if the rules own that, too.
	TellSender Consequence = "tell the sender"
	// TellHolder leaves a notice with the agent that held the handoff before the action, so that it stops.
	TellHolder Consequence = "tell the holder"
	// TellRecipient leaves a notice with the agent that the handoff is addressed to by name, unless that agent held or
	// sent it and gets another notice. For a pool there is no notice.
	TellRecipient Consequence = "tell the recipient"
	// TellAnswerer leaves a notice with the agent that has to answer: the recipient of TellSender's notice, or human if
	// that would be the agent that asks.
	TellAnswerer Consequence = "tell who is to answer"
	// TellAsker leaves a notice with the agent that asked, which may claim the handoff again.
	TellAsker Consequence = "tell the agent that asked"
	// TellHuman leaves a notice with human, because only human grants a permission.
	TellHuman Consequence = "tell human"
	// TellWaiting goes through the open handoffs that wait for this one, and notifies the sender of each that this one
	// ended and was not done well. They stay blocked until it is retried, accepted or returned, or until they are
	// cancelled.
	TellWaiting Consequence = "tell the senders of those that wait for it"
	// FreeWaiting goes through the open handoffs that wait for this one, and removes it from the dependencies of each.
	// It does not do so if this one was not done well, or if the other one waits for its acceptance and it is not
	// accepted. A handoff without further dependencies may be claimed from then on.
	FreeWaiting Consequence = "let those go on that wait for it"
	// MoveWaiting goes through the open handoffs that wait for this one, and makes each wait for the new one instead.
	// If the new one was done well meanwhile, they are freed.
	MoveWaiting Consequence = "let those that wait for it wait for the new one"
	// FreeTakenBack goes through the open handoffs that wait for the failed handoff whose work this one took back, and
	// makes each wait for this one instead. If this one was done well, they are freed.
	FreeTakenBack Consequence = "let those go on that wait for what it took back"
	// MoveFreed goes through the handoffs that waited for this one until it was done, and makes each pending one wait
	// for the new one, or for this one again. It notifies the holders of handoffs that were begun.
	MoveFreed Consequence = "let those that waited for it wait for the new one"
	// WaitAgain makes the handoff, which has no holder any more, wait for the rework of dependencies that were returned
	// since it was begun.
	WaitAgain Consequence = "let it wait for the rework of what was returned meanwhile"
	// CancelParts goes through the children of the handoff, and cancels the ones that its holder sent and that were
	// never claimed.
	CancelParts Consequence = "cancel the parts that its holder sent and nobody claimed"
	// EndLeftovers goes back over the earlier attempts of the handoff, and cancels handoffs without a holder that the
	// rules sent when an attempt failed: rollbacks and decisions that are no longer needed. Each names the handoff that
	// did the work.
	EndLeftovers Consequence = "cancel what is left of the attempts before it"
	// PassOn sends the handoff that a completion passes on, as its child. It is the only consequence that can be
	// refused because of the caller's input; then the completion is undone, too.
	PassOn Consequence = "send what its completion passes on" //nolint:gosec // no password
	// SendRouted sends the handoffs of the rules of files, as children, and records the first of them on the handoff. A
	// refused rule, as when the chain is too long, stops nothing: the owner of the workflow and human get a notice.
	SendRouted Consequence = "send what the rules of files say"
	// SendBack sends the work of a returned handoff to its holder again, as a child with the reasons.
	SendBack Consequence = "send it to its holder again"
	// SendAgain sends the same work again, next to the handoff in its chain, to the same address.
	SendAgain Consequence = "send it again"
	// SendElsewhere sends the same work, next to the handoff in its chain, to the agent that the rejection named.
	SendElsewhere Consequence = "send it to the agent that was named instead"
	// SendRollback sends the failure back as a child: to the agent that the holder named, else to rollback.on_failure
	// of the send, else to the sender. If the chain is too long, human gets a notice instead. A review goes to the
	// sender of the work, and then to human.
	SendRollback Consequence = "send it back as the rollback rule says"
	// SendReview sends a result to its reviewer. If that is refused, as at the end of a chain or of a budget, the owner
	// of the workflow and human get a notice, and the sender judges.
	SendReview Consequence = "send its result to its reviewer"
	// ApplyVerdict applies the verdict of a review to the reviewed work, in the name of the reviewer: it accepts the
	// work, or returns it with the points. If no round is left, or the return is refused, human gets a review to
	// decide.
	ApplyVerdict Consequence = "accept or return what it reviewed"
	// EndReview cancels the review of a result that was judged another way, if there is one.
	EndReview Consequence = "cancel its review"
	// SendToDecider sends human a child to decide. If the chain is too long, human gets a notice instead.
	SendToDecider Consequence = "send it to human to decide"
)

// AffectsOthers reports whether the consequence goes through other handoffs. These may be many, so it may be interrupted and
// deferred; any other consequence runs at once.
func (c Consequence) AffectsOthers() bool {
	return slices.Contains([]Consequence{TellWaiting, FreeWaiting, FreeTakenBack, MoveWaiting, MoveFreed, CancelParts}, c)
}

// Condition says in which cases consequences follow from an action. It is evaluated once, when the action is done, from
// the record before and after and from the caller's input.
type Condition string

// The conditions.
const (
	// Always holds.
	Always Condition = ""
	// NeedsApproval holds if the handoff waits for approval now and did not before: when it is sent so, and when an
	// agent amended an approved handoff.
	NeedsApproval Condition = "it needs approval from now on"
	// NeedsPermission holds if the holder asks for a permission that only a person grants.
	NeedsPermission Condition = "a permission is asked for"
	// HeldByAnother holds if the holder is not the sender, which gets a notice anyway.
	HeldByAnother Condition = "its holder is not its sender"
	// Readdressed holds if the handoff has another recipient from then on.
	Readdressed Condition = "it is for another from now on"
	// IsRetry holds if the handoff repeats one that failed before.
	IsRetry Condition = "it is a retry"
	// HasParent holds if the handoff is a part of another, or continues it.
	HasParent Condition = "it has a parent"
	// Reviewed holds if a reviewer judges the result before it counts, and IsReview if the handoff is such a review.
	Reviewed Condition = "its result is reviewed"
	IsReview Condition = "it is a review"
	// PassesOn holds if a completion names a recipient to continue, once its result counts.
	PassesOn Condition = "the completion passes on"
	// Routed holds if a rule of a file fires; Unrouted if none does.
	Routed   Condition = "a rule of a file fires"
	Unrouted Condition = "no rule of a file fires"
	// Redirects holds if the rejection names an agent that may do the work, and no rule fires.
	Redirects Condition = "the rejection names an agent that may do it"
	// CheckFails holds if a check was observed to fail.
	CheckFails Condition = "a check does not pass"
	// NotDoneWell holds if the handoff ended, was not done well, and has no reviewer. NowDoneWell holds if it was not
	// done well before and is now, and NoLongerDoneWell if it was done well and is not any more.
	NotDoneWell      Condition = "it was not done well, and nobody reviews it"
	NowDoneWell      Condition = "it is done well from now on"
	NoLongerDoneWell Condition = "it is done well no more"
	// ChecksPass holds if the outcome became a success, because checks without earlier observation were observed to
	// pass.
	ChecksPass Condition = "all checks pass from now on"
	// ThenRollback, ThenRetry and ThenEscalate hold by the holder's choice after a failure; a retry for which no agent
	// is left counts as an escalation. None holds if the holder chose to stop, and ThenRollback does not hold if a rule
	// fires. ThenRollback holds for a review that ends without a verdict in any way.
	ThenRollback Condition = "then is rollback"
	ThenRetry    Condition = "then is retry"
	ThenEscalate Condition = "then is escalate"
)

// ConsequenceRule has the consequences of an action under a condition, in their order.
type ConsequenceRule struct {
	After Action
	If    Condition
	Then  []Consequence
}

// consequences is the whole table. The rows of one action run from the first to the last. An action without a row has
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

// ConsequencesOf returns the rows of an action, in their order, or none if it has no consequences. Package mailbox
// calls it after each change of a record, and runs the consequences in the same transaction. The golden file
// testdata/follows.txt shows the rows of every action.
func ConsequencesOf(a Action) (rows []ConsequenceRule) {
	for _, row := range consequences {
		if row.After == a {
			rows = append(rows, row)
		}
	}
	return rows
}

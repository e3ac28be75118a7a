package life

import "slices"

// Consequence is one thing that follows from an action on a handoff: somebody is told, or another handoff is made
// or changed. It is carried out in the transaction of the action, in the name of whoever acted. Whoever acted is not
// told of it. A consequence that goes through the handoffs that wait for this one, or through its parts, passes over
// those that cannot be read.
type Consequence string

// The consequences.
const (
	// AskApproval leaves human a notice that the handoff waits for approval, with the command that approves it. Nobody
	// can claim the handoff until human decides.
	AskApproval Consequence = "ask human for approval"
	// TellSender leaves a notice with the sender of the handoff; of one that the rules sent, with the owner of the
	// workflow, and with human where the rules own that, too.
	TellSender Consequence = "tell the sender"
	// TellHolder leaves a notice with the agent that held the handoff before the action, so that it stops.
	TellHolder Consequence = "tell the holder"
	// TellRecipient leaves a notice with the agent to which the handoff was sent by name. Whoever held it or sent it is
	// told otherwise; of a pool nobody is.
	TellRecipient Consequence = "tell the recipient"
	// TellAnswerer leaves a notice with the agent that is to answer: whom TellSender tells, and human where that is the
	// agent that asks.
	TellAnswerer Consequence = "tell who is to answer"
	// TellAsker leaves a notice with the agent that asked, which may claim the handoff again.
	TellAsker Consequence = "tell the agent that asked"
	// TellHuman leaves a notice with human, who alone grants a permission.
	TellHuman Consequence = "tell human"
	// TellWaiting goes through the open handoffs that wait for this one, and tells the sender of each that this one
	// ended and was not done well. They stay blocked until it is retried, accepted or returned, or they are cancelled.
	TellWaiting Consequence = "tell the senders of those that wait for it"
	// FreeWaiting goes through the open handoffs that wait for this one, and takes it off what each waits for, unless it
	// was not done well, or that one waits for its acceptance and it is not accepted. One that waits for nothing else may
	// be claimed from then on.
	FreeWaiting Consequence = "let those go on that wait for it"
	// MoveWaiting goes through the open handoffs that wait for this one, and has each wait for the new one instead.
	// Where that one was done well meanwhile, they are freed.
	MoveWaiting Consequence = "let those that wait for it wait for the new one"
	// FreeTakenBack goes through the open handoffs that wait for the failed handoff whose work this one took back, and
	// has each wait for this one instead. Where this one was done well, they are freed.
	FreeTakenBack Consequence = "let those go on that wait for what it took back"
	// MoveFreed goes through the handoffs that waited for this one until it was done, and has each that is pending wait
	// for the new one, or for this one again. The holders of those that were begun are told.
	MoveFreed Consequence = "let those that waited for it wait for the new one"
	// WaitAgain has the handoff, which nobody holds any more, wait for the rework of what was returned since it was
	// begun.
	WaitAgain Consequence = "let it wait for the rework of what was returned meanwhile"
	// CancelParts goes through the children of the handoff, and cancels those that its holder sent and that nobody ever
	// claimed.
	CancelParts Consequence = "cancel the parts that its holder sent and nobody claimed"
	// EndLeftovers goes back over the attempts before the handoff, and cancels what the rules sent when one of them
	// failed and nobody holds: rollbacks and decisions that nobody needs any more. Each says what did the work.
	EndLeftovers Consequence = "cancel what is left of the attempts before it"
	// PassOn sends the handoff that a completion passes on, as its child. It is the one consequence that can be refused
	// for what the caller said; then the completion is undone, too.
	PassOn Consequence = "send what its completion passes on" //nolint:gosec // no password
	// SendRouted sends what the rules of files say, as children, and notes the first of them on the handoff. A rule that
	// is refused, as where the chain is too long, stops nothing: the owner of the workflow and human are told.
	SendRouted Consequence = "send what the rules of files say"
	// SendBack sends the work of a returned handoff to its holder again, as a child with the reasons.
	SendBack Consequence = "send it to its holder again"
	// SendAgain sends the same work again, beside the handoff in its chain, to the same address.
	SendAgain Consequence = "send it again"
	// SendElsewhere sends the same work, beside the handoff in its chain, to whom the one who rejected it named.
	SendElsewhere Consequence = "send it to the agent that was named instead"
	// SendRollback sends the failure back as a child: to the agent that the holder named, else to rollback.on_failure
	// of the send, else to the sender. Where the chain is too long, human is told instead. A review goes to the sender
	// of the work, and then to human.
	SendRollback Consequence = "send it back as the rollback rule says"
	// SendReview sends a result to whoever judges it. Where that is refused, as at the end of a chain or of a budget,
	// the owner of the workflow and human are told, and the sender judges.
	SendReview Consequence = "send its result to its reviewer"
	// Judge does what a review says to the work that it is about, in the name of the reviewer: it accepts the work, or
	// returns it with the points. Where no round is left, or the return is refused, human gets a review to decide.
	Judge Consequence = "accept or return what it reviewed"
	// EndReview cancels the review of a result that was judged otherwise, if there is one.
	EndReview Consequence = "cancel its review"
	// SendToDecider sends human a child to decide. Where the chain is too long, human is told instead.
	SendToDecider Consequence = "send it to human to decide"
)

// Spreads tells whether the consequence goes through other handoffs. There may be many, so it may be interrupted and put
// off; any other is carried out at once.
func (c Consequence) Spreads() bool {
	return slices.Contains([]Consequence{TellWaiting, FreeWaiting, FreeTakenBack, MoveWaiting, MoveFreed, CancelParts}, c)
}

// Condition tells in which cases consequences follow from an action. It is judged once, when the action is done, by the
// record before and after and by what the caller said.
type Condition string

// The conditions.
const (
	// Always holds.
	Always Condition = ""
	// NeedsApproval holds when the handoff waits for approval now, and did not before: when it is sent so, and when an
	// agent amended what was approved.
	NeedsApproval Condition = "it needs approval from now on"
	// NeedsPermission holds when the holder asks for something that only a person grants.
	NeedsPermission Condition = "a permission is asked for"
	// HeldByAnother holds when the holder is not the sender, who is told anyway.
	HeldByAnother Condition = "its holder is not its sender"
	// PassedOn holds when the handoff is for another from then on.
	PassedOn Condition = "it is for another from now on"
	// IsRetry holds when the handoff does again what failed before.
	IsRetry Condition = "it is a retry"
	// HasParent holds when the handoff is a part of another, or goes on after it.
	HasParent Condition = "it has a parent"
	// Reviewed holds when somebody judges the result before it counts, and IsReview when the handoff is such a review.
	Reviewed Condition = "its result is reviewed"
	IsReview Condition = "it is a review"
	// Continues holds when a completion names somebody to go on, once its result counts.
	Continues Condition = "the completion passes on"
	// Routed holds where a rule of a file fires; Unrouted where none does.
	Routed   Condition = "a rule of a file fires"
	Unrouted Condition = "no rule of a file fires"
	// Redirects holds where the one who rejects names an agent that may do it, and no rule fires.
	Redirects Condition = "the rejection names an agent that may do it"
	// Disproved holds when a check was seen not to pass.
	Disproved Condition = "a check does not pass"
	// StaysShut holds when it ended, was not done well, and nobody reviews it. Opens holds when it was not
	// done well before and is now, and Shuts when it was and is not any more.
	StaysShut Condition = "it was not done well, and nobody reviews it"
	Opens     Condition = "it is done well from now on"
	Shuts     Condition = "it is done well no more"
	// Proved holds when the outcome became a success, because checks were seen to pass at which nobody had looked.
	Proved Condition = "all checks pass from now on"
	// ThenRollback, ThenRetry and ThenEscalate hold by what follows a failure, after a retry that nobody is left to
	// make became an escalation. None holds where the holder asked to stop, and ThenRollback not where a rule fires.
	// ThenRollback holds for a review however it ends without a verdict.
	ThenRollback Condition = "then is rollback"
	ThenRetry    Condition = "then is retry"
	ThenEscalate Condition = "then is escalate"
)

// Row says what follows from an action: where the condition holds, each of the consequences, in their order.
type Row struct {
	After Action
	If    Condition
	Then  []Consequence
}

// follows is the whole table. The rows of one action are carried out from the first to the last; from an action
// without a row nothing follows.
var follows = []Row{
	{Send, NeedsApproval, then(AskApproval)},
	{Send, Routed, then(SendRouted)},
	{Amend, NeedsApproval, then(AskApproval)},
	{Approve, Always, then(TellSender)},
	{Refuse, Always, then(TellSender, TellWaiting)},
	{Refuse, ThenRollback, then(SendRollback)},
	{Ask, NeedsPermission, then(TellHuman)},
	{Ask, Always, then(TellAnswerer)},
	{Answer, Always, then(TellAsker)},
	{Release, Always, then(TellHolder, WaitAgain)},
	{Release, PassedOn, then(TellSender)},
	{Untaken, Always, then(TellSender)},
	{Silent, Always, then(TellSender)},

	{Requeue, Always, then(WaitAgain)},
	{Decline, Always, then(WaitAgain)},

	{Complete, Always, then(TellSender, FreeWaiting)},
	{Complete, StaysShut, then(TellWaiting)},
	{Complete, HasParent, then(FreeTakenBack)},
	{Complete, IsRetry, then(EndLeftovers)},
	{Complete, Reviewed, then(SendReview)},
	{Complete, IsReview, then(Judge)},
	{Complete, Continues, then(PassOn)},
	{Complete, Routed, then(SendRouted)},
	{Fail, Always, then(TellSender)},
	{Fail, ThenRollback, then(CancelParts, SendRollback)},
	{Fail, Routed, then(CancelParts, SendRouted)},
	{Fail, ThenRetry, then(SendAgain)},
	{Fail, ThenEscalate, then(SendToDecider)},
	{Fail, Always, then(TellWaiting)},
	{Reject, Always, then(TellSender)},
	{Reject, Redirects, then(SendElsewhere)},
	{Reject, ThenRollback, then(SendRollback)},
	{Reject, Always, then(TellWaiting)},
	{Reject, Routed, then(SendRouted)},
	{Expire, Always, then(TellSender, TellWaiting, CancelParts)},
	{Expire, Routed, then(SendRouted)},
	{Expire, Unrouted, then(SendRollback)},
	{Exhaust, Always, then(TellSender, TellWaiting)},
	{Exhaust, Routed, then(SendRouted)},
	{Exhaust, Unrouted, then(SendToDecider)},
	{Cancel, Always, then(TellSender)},
	{Cancel, HeldByAnother, then(TellHolder)},
	{Cancel, Always, then(TellRecipient)},
	{Cancel, Always, then(TellWaiting)},
	{Cancel, Routed, then(SendRouted)},
	{Cancel, ThenRollback, then(SendRollback)},
	{Dismiss, Always, then(TellSender)},

	{Accept, Always, then(TellHolder, EndReview, FreeWaiting)},
	{Accept, Continues, then(PassOn)},
	{Accept, Routed, then(SendRouted)},
	{Observe, Disproved, then(TellSender)},
	{Observe, Opens, then(FreeWaiting)},
	{Observe, Shuts, then(MoveFreed)},
	{Observe, Routed, then(SendRouted)},
	{Observe, Proved, then(TellSender)},
	{Return, Always, then(EndReview, SendBack)},
	{Return, Routed, then(SendRouted)},
	{Redo, Always, then(MoveWaiting, MoveFreed)},
	{Retry, Always, then(MoveWaiting)},
	{Rerun, Always, then(MoveWaiting)},
	{Late, Always, then(TellSender)},
}

func then(follow ...Consequence) []Consequence { return follow }

// Follows gives the rows of an action, in their order; none for an action from which nothing follows. Package mailbox
// asks it after each change of a record, and carries out what it gives in the same transaction. The golden file
// testdata/follows.txt shows the rows of every action.
func Follows(a Action) (rows []Row) {
	for _, row := range follows {
		if row.After == a {
			rows = append(rows, row)
		}
	}
	return rows
}

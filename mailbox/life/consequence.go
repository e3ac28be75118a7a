package life

// Consequence is one thing that follows from an action on a handoff: somebody is told, or another handoff is made
// or changed. It is carried out in the transaction of the action, in the name of whoever acted. Whoever acted is not
// told of it. A consequence that goes through the handoffs that wait for this one, or through its parts, passes over
// those that cannot be read.
type Consequence string

// The consequences.
const (
	AskApproval   Consequence = "ask human for approval"
	TellSender    Consequence = "tell the sender"
	TellHolder    Consequence = "tell the holder"
	TellAsker     Consequence = "tell the agent that asked"
	TellHuman     Consequence = "tell human"
	TellWaiting   Consequence = "tell the senders of those that wait for it"
	FreeWaiting   Consequence = "let those go on that wait for it"
	MoveWaiting   Consequence = "let those that wait for it wait for the new one"
	CancelParts   Consequence = "cancel the parts that its holder sent and nobody claimed"
	PassOn        Consequence = "send what its completion passes on" //nolint:gosec // no password
	SendBack      Consequence = "send it to its holder again"
	SendAgain     Consequence = "send it again"
	SendRollback  Consequence = "send it back as the rollback rule says"
	SendToDecider Consequence = "send it to human to decide"
)

// Condition tells in which cases consequences follow from an action.
type Condition string

// The conditions.
const (
	Always          Condition = ""
	NeedsApproval   Condition = "it needs approval from now on"
	NeedsPermission Condition = "a permission is asked for"
	HeldByAnother   Condition = "its holder is not its sender"
	Continues       Condition = "the completion passes on"
	ThenRollback    Condition = "then is rollback"
	ThenRetry       Condition = "then is retry"
	ThenEscalate    Condition = "then is escalate"
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
	{Amend, NeedsApproval, then(AskApproval)},
	{Approve, Always, then(TellSender)},
	{Refuse, Always, then(TellSender, TellWaiting)},
	{Ask, NeedsPermission, then(TellHuman)},
	{Ask, Always, then(TellSender)},
	{Answer, Always, then(TellAsker)},
	{Release, Always, then(TellHolder)},

	{Complete, Always, then(TellSender, FreeWaiting)},
	{Complete, Continues, then(PassOn)},
	{Fail, Always, then(TellSender)},
	{Fail, ThenRollback, then(CancelParts, SendRollback)},
	{Fail, ThenRetry, then(SendAgain)},
	{Fail, ThenEscalate, then(SendToDecider)},
	{Fail, Always, then(TellWaiting)},
	{Reject, Always, then(TellSender, TellWaiting)},
	{Expire, Always, then(TellSender, TellWaiting, CancelParts, SendRollback)},
	{Exhaust, Always, then(TellSender, TellWaiting, SendToDecider)},
	{Cancel, Always, then(TellSender)},
	{Cancel, HeldByAnother, then(TellHolder)},
	{Cancel, Always, then(TellWaiting)},

	{Return, Always, then(SendBack)},
	{Retry, Always, then(MoveWaiting)},
	{Rerun, Always, then(MoveWaiting)},
	{Late, Always, then(TellSender)},
}

func then(follow ...Consequence) []Consequence { return follow }

// Follows gives the rows of an action, in their order. The golden file testdata/follows.txt shows them for every
// action.
func Follows(a Action) (rows []Row) {
	for _, row := range follows {
		if row.After == a {
			rows = append(rows, row)
		}
	}
	return rows
}

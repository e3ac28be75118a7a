package mailbox

import (
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// hooks are all rules of the mailbox that take part in operations without being called by them. It is a function and no
// variable, because the rules run operations themselves.
func hooks() operation.Hooks[*op] {
	return operation.Hooks[*op]{
		Before: []operation.Rule[*op]{
			{When: comesToPool, Do: (*op).tellFirst},
			{When: mayLieUntaken, Do: (*op).timeTaking},
		},
		After: []operation.Rule[*op]{
			{When: hasOutcome, Do: (*op).spend},
			{When: becomesOffered, Do: (*op).tellNoTakers},
			{When: mayFire, Do: (*op).firing},
		},
		Due: map[operation.Timer]func(*op, *store.Record) error{
			operation.Deadline: (*op).expire, operation.LeaseEnd: (*op).leaseEnded, operation.Quiet: (*op).silent,
			operation.Reserved: (*op).unreserve, operation.Untaken: (*op).untaken, operation.Delay: (*op).ready,
		},
		Follows: map[life.Consequence]operation.Follow[*op]{
			life.AskApproval:   telling((*op).askApproval),
			life.TellSender:    telling(func(o *op, h *operation.Happening) error { return o.TellSender(h.Now, noticeOfAll(h)) }),
			life.TellAnswerer:  telling((*op).tellAnswerer),
			life.TellHolder:    telling(func(o *op, h *operation.Happening) error { return o.Tell(h.Was.Holder, noticeOfAll(h)) }),
			life.TellRecipient: telling((*op).tellRecipient),
			life.TellAsker:     telling(func(o *op, h *operation.Happening) error { return o.Tell(h.Was.Asker, noticeOfAll(h)) }),
			life.TellHuman:     telling(func(o *op, h *operation.Happening) error { return o.Tell(schemas.Human, noticeOfAll(h)) }),
			life.WaitAgain:     telling(func(o *op, h *operation.Happening) error { return o.waitAgain(h.Now) }),
			life.EndLeftovers:  telling(func(o *op, h *operation.Happening) error { return o.endLeftovers(h.Now) }),
			life.EndReview:     telling(func(o *op, h *operation.Happening) error { return o.endReview(h.Now) }),
			life.SendRouted:    (*op).sendRouted,
			life.SendReview:    (*op).sendReview,
			life.Judge:         (*op).judgeReviewed,
			life.PassOn:        (*op).passOnWhatFollows,
			life.SendBack:      sending((*op).sendBack),
			life.SendAgain:     sending((*op).rerun),
			life.SendElsewhere: sending((*op).sendElsewhere),
			life.SendRollback:  sending((*op).rollback),
			life.SendToDecider: sending((*op).escalate),
		},
		Across: map[life.Consequence]operation.Across[*op]{
			life.TellWaiting:   {Of: waitingFor, Each: (*op).tellBlocked},
			life.FreeWaiting:   {Of: waitingFor, Each: (*op).freeFrom},
			life.FreeTakenBack: {Of: waitingForParent, Each: (*op).freeTakenBack},
			life.MoveWaiting:   {Of: waitingFor, Each: (*op).waitInstead},
			life.MoveFreed:     {Of: freedBy, Each: (*op).waitInstead, Ended: true},
			life.CancelParts:   {Of: childrenOf, Each: (*op).cancelPart},
		},
		Resumed: (*op).fireAfterLeave,
		Lapsed:  (*op).lapsedRules,
		Cut:     (*op).cutTimes,
		Seen:    (*op).expireNames,
		Why:     (*op).notNow,
		Refused: (*op).tellRefused,
	}
}

// The conditions of the rules. They stand here, so that a reader of an operation need not enter a rule that does not
// take part in it.

// comesToPool tells whether any agent of a pool may claim the handoff now.
func comesToPool(_ *op, h *operation.Happening) bool {
	_, directed := h.Now.To.Directed()
	return !directed && operation.Offered(h.Now) && h.Now.Box == h.Now.To
}

// mayLieUntaken tells whether the sender said what is done if nobody takes the work.
func mayLieUntaken(_ *op, h *operation.Happening) bool {
	return h.Now.NoTakers != "" || h.Now.Untaken != 0
}

// hasOutcome tells whether an outcome came back for the handoff, in time or late.
func hasOutcome(_ *op, h *operation.Happening) bool {
	switch h.Said.(type) {
	case schemas.Completion, schemas.Failure, schemas.Late:
		return true
	}
	return false
}

// becomesOffered tells whether the handoff may be claimed from now on, or by others than before.
func becomesOffered(_ *op, h *operation.Happening) bool {
	return operation.Offered(h.Now) && (h.Was == nil || !operation.Offered(h.Was) || h.Was.To != h.Now.To)
}

// mayFire tells whether files may have a rule for what happened: there are rules, or the handoff is a step of a workflow.
func mayFire(o *op, h *operation.Happening) bool {
	if occasions[h.Action] == "" && !h.Now.Counted {
		return false
	}
	for range o.AllRules() {
		return true
	}
	return h.Now.Step
}

// The handoffs that a consequence concerns besides.
func waitingFor(now *store.Record) store.Index       { return store.WaitingFor(now.ID) }
func waitingForParent(now *store.Record) store.Index { return store.WaitingFor(now.Parent) }
func freedBy(now *store.Record) store.Index          { return store.FreedBy(now.ID) }
func childrenOf(now *store.Record) store.Index       { return store.ChildrenOf(now.ID) }

// telling is a consequence of which the result of the call says nothing.
func telling(do func(*op, *operation.Happening) error) operation.Follow[*op] {
	return func(o *op, h *operation.Happening) (operation.Outcome, error) { return operation.Outcome{}, do(o, h) }
}

// sending is a consequence that sends the handoff which goes on with the work, nil for none.
func sending(do func(*op, *operation.Happening) (*store.Record, error)) operation.Follow[*op] {
	return func(o *op, h *operation.Happening) (came operation.Outcome, err error) {
		came.Successor, err = do(o, h)
		return came, err
	}
}

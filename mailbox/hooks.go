package mailbox

import (
	"context"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// hooks are the rules that take part in an operation without being called by it. The lists of [mailboxHooks] are all
// there are. A rule whose condition does not hold is not entered.
type hooks struct {
	before  []rule                                      // before a changed record is written; they change only that record
	after   []rule                                      // after it was written, and before anything follows from it
	due     map[Timer]func(*op, *store.Record) error    // when a time of a record is over
	follows map[life.Consequence]consequence            // what is done to the handoff itself
	across  map[life.Consequence]consequences           // what is done to others
	resumed func(*op, *Happening, store.Debt) error     // before a consequence that was put off is carried out
	lapsed  func(*op) (enough bool)                     // after the clock was applied to a handoff
	cut     func(*op, *store.Record) (changed bool)     // brings back times that a clock set which was ahead
	seen    func(*op, schemas.Agent) error              // after the session of a client was seen
	why     func(*op, life.Action, *store.Record) error // explains that a state does not allow an action
	refused func(*op, context.Context)                  // after an operation was undone
}

// rule takes part in each change of a record for which its condition holds.
type rule struct {
	when func(*op, *Happening) bool
	do   func(*op, *Happening) error
}

// consequence carries out what concerns the handoff itself, and says what came of it for the result of the call.
type consequence func(*op, *Happening) (Outcome, error)

// consequences are carried out for each of the handoffs that of finds for the record to which something happened. Those
// that ended are passed over, unless ended says otherwise.
type consequences struct {
	of    func(now *store.Record) store.Index
	each  func(o *op, r, now *store.Record) error
	ended bool
}

// newHooks lists the rules of the mailbox. It is a function and no variable, because the rules run operations themselves.
func newHooks() *hooks {
	return &hooks{
		before: []rule{
			{comesToPool, (*op).tellFirst},
			{mayLieUntaken, (*op).timeTaking},
		},
		after: []rule{
			{hasOutcome, (*op).spend},
			{becomesOffered, (*op).tellNoTakers},
			{mayFire, (*op).firing},
		},
		due: map[Timer]func(*op, *store.Record) error{
			Deadline: (*op).expire, LeaseEnd: (*op).leaseEnded, Quiet: (*op).silent,
			Reserved: (*op).unreserve, Untaken: (*op).untaken, Delay: (*op).ready,
		},
		follows: map[life.Consequence]consequence{
			life.AskApproval:   telling((*op).askApproval),
			life.TellSender:    telling(func(o *op, h *Happening) error { return o.TellSender(h.Now, h.notice()) }),
			life.TellAnswerer:  telling((*op).tellAnswerer),
			life.TellHolder:    telling(func(o *op, h *Happening) error { return o.Tell(h.Was.Holder, h.notice()) }),
			life.TellRecipient: telling((*op).tellRecipient),
			life.TellAsker:     telling(func(o *op, h *Happening) error { return o.Tell(h.Was.Asker, h.notice()) }),
			life.TellHuman:     telling(func(o *op, h *Happening) error { return o.Tell(schemas.Human, h.notice()) }),
			life.WaitAgain:     telling(func(o *op, h *Happening) error { return o.waitAgain(h.Now) }),
			life.EndLeftovers:  telling(func(o *op, h *Happening) error { return o.endLeftovers(h.Now) }),
			life.EndReview:     telling(func(o *op, h *Happening) error { return o.endReview(h.Now) }),
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
		across: map[life.Consequence]consequences{
			life.TellWaiting:   {of: waitingFor, each: (*op).tellBlocked},
			life.FreeWaiting:   {of: waitingFor, each: (*op).freeFrom},
			life.FreeTakenBack: {of: waitingForParent, each: (*op).freeTakenBack},
			life.MoveWaiting:   {of: waitingFor, each: (*op).waitInstead},
			life.MoveFreed:     {of: freedBy, each: (*op).waitInstead, ended: true},
			life.CancelParts:   {of: childrenOf, each: (*op).cancelPart},
		},
		resumed: (*op).fireAfterLeave,
		lapsed:  (*op).lapsedRules,
		cut:     (*op).cutTimes,
		seen:    (*op).expireNames,
		why:     (*op).notNow,
		refused: (*op).tellRefused,
	}
}

// The conditions of the rules. They stand here, so that a reader of an operation need not enter a rule that does not
// take part in it.

// comesToPool tells whether any agent of a pool may claim the handoff now.
func comesToPool(_ *op, h *Happening) bool {
	_, directed := h.Now.To.Directed()
	return !directed && Offered(h.Now) && h.Now.Box == h.Now.To
}

// mayLieUntaken tells whether the sender said what is done if nobody takes the work.
func mayLieUntaken(_ *op, h *Happening) bool { return h.Now.NoTakers != "" || h.Now.Untaken != 0 }

// hasOutcome tells whether an outcome came back for the handoff, in time or late.
func hasOutcome(_ *op, h *Happening) bool {
	switch h.Said.(type) {
	case schemas.Completion, schemas.Failure, schemas.Late:
		return true
	}
	return false
}

// becomesOffered tells whether the handoff may be claimed from now on, or by others than before.
func becomesOffered(_ *op, h *Happening) bool {
	return Offered(h.Now) && (h.Was == nil || !Offered(h.Was) || h.Was.To != h.Now.To)
}

// mayFire tells whether files may have a rule for what happened: there are rules, or the handoff is a step of a workflow.
func mayFire(o *op, h *Happening) bool {
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
func telling(do func(*op, *Happening) error) consequence {
	return func(o *op, h *Happening) (Outcome, error) { return Outcome{}, do(o, h) }
}

// sending is a consequence that sends the handoff which goes on with the work, nil for none.
func sending(do func(*op, *Happening) (*store.Record, error)) consequence {
	return func(o *op, h *Happening) (came Outcome, err error) {
		came.Successor, err = do(o, h)
		return came, err
	}
}

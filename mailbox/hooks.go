package mailbox

import (
	"cmp"
	"context"
	"fmt"

	"handoff/mailbox/connections"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// op is an operation of package operation, together with the state that the rules of the mailbox need while the
// operation runs.
type op struct {
	*operation.Op
	*env

	checked         []schemas.Address      // recipients for which the result warns if no agent takes the work
	routed          *schemas.RoutingResult // the candidates of the handoff that was made last, nil if it is for one agent
	begunDependents []*store.Record        // the handoffs that were begun with the result that is returned now

	sentByRules int            // handoffs that rules of files have sent
	sentByClock int            // sent because of time, for earlier handoffs in this operation
	unsentRules int            // rules that could not send
	ruleCost    rules.Budget   // the cost of evaluating the allowed rules
	spentBudget string         // the time budget that refused a rule, "" for none
	exceeded    *exceededLimit // the draft that a limit of a workflow refused, until human is told

	tellExceededLimit func(context.Context, *exceededLimit) // tells human of it after the operation was undone
}

// update runs fn in an operation of the engine, see [operation.Engine.Update].
func (s *Service) update(ctx context.Context, by schemas.Caller, fn func(*op) error) error {
	return s.engine.Update(ctx, by, func(o *operation.Op) error { return fn(opOf(o)) })
}

// mutate runs fn like [Service.update], and stores the result. A repeated call with the same request id gets the stored
// result, see [operation.UpdateForCaller].
func mutate[Out any](ctx context.Context, s *Service, by schemas.Caller, fn func(*op) (Out, error)) (Out, error) {
	return operation.UpdateForCaller(ctx, s.engine, by, func(o *operation.Op) (Out, error) { return fn(opOf(o)) })
}

// dueActions has the function for each timer of a record. The clock runs the function when the timer is over.
var dueActions = map[operation.Timer]func(*op, *store.Record) error{
	operation.Deadline: (*op).endAfterDeadline, operation.LeaseEnd: (*op).endLease, operation.SilenceNotice: (*op).tellSenderOfSilence,
	operation.ReservationEnd: (*op).endReservation, operation.Unclaimed: (*op).redirectUnclaimed, operation.DelayEnd: (*op).endDelay,
}

// consequences are the consequences that concern the handoff itself.
var consequences = map[life.Consequence]consequence{
	life.AskApproval:         consequenceWithoutResult((*op).askApproval),
	life.TellSender:          consequenceWithoutResult((*op).tellSender),
	life.TellAnswerer:        consequenceWithoutResult((*op).tellAnswerer),
	life.TellHolder:          consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.NotifyAgent(h.Was.Holder, noticeOf(h)) }),
	life.TellRecipient:       consequenceWithoutResult((*op).tellRecipient),
	life.TellAsker:           consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.NotifyAgent(h.Was.Asker, noticeOf(h)) }),
	life.TellHuman:           consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.NotifyAgent(schemas.Human, noticeOf(h)) }),
	life.RestoreDependencies: consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.restoreDependencies(h.Now) }),
	life.CancelLeftovers:     consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.cancelLeftoversOfFailures(h.Now) }),
	life.CancelReview:        consequenceWithoutResult(func(o *op, h *operation.RecordChange) error { return o.cancelReview(h.Now) }),
	life.SendByRules:         (*op).sendRoutedHandoffs,
	life.SendReview:          (*op).sendReview,
	life.ApplyVerdict:        (*op).applyVerdict,
	life.SendContinuation:    (*op).sendContinuationOrTell,
	life.SendRework:          consequenceWithSuccessor((*op).sendRework),
	life.SendAgain:           sendOrTellHuman((*op).rerunWork),
	life.SendToNamedAgent:    sendOrTellHuman((*op).sendToNamedAgent),
	life.SendRollback:        sendOrTellHuman((*op).sendRollback),
	life.SendToDecider:       sendOrTellHuman((*op).sendToHuman),
}

// consequence carries out a consequence, and returns its outcome for the result of the call.
type consequence func(*op, *operation.RecordChange) (operation.ConsequenceResult, error)

// consequencesForOthers are the consequences for other handoffs than the changed handoff. Each of them runs once for
// every handoff that it concerns.
var consequencesForOthers = map[life.Consequence]consequenceForOthers{
	life.TellSendersOfDependents: {affected: store.IndexByDependency, run: (*op).tellSenderOfDeadDependency},
	life.UnblockDependents:       {affected: store.IndexByDependency, run: (*op).unblock},
	life.UnblockAfterRollback:    {affected: store.IndexByDependency, ofParent: true, run: (*op).unblockAfterRollback},
	life.MoveDependents:          {affected: store.IndexByDependency, run: (*op).replaceDependency},
	life.BlockDependentsAgain:    {affected: store.IndexByFreedDependency, run: (*op).replaceDependency, includeEnded: true},
	life.CancelParts:             {affected: store.IndexByParent, run: (*op).cancelUnclaimedPart},
}

// consequenceForOthers is a consequence for other handoffs than the changed handoff. The function `affected` returns
// the index of the other handoffs from the id of the changed handoff, or of its parent if `ofParent` is set. The
// function `run` is called once for each of them. Ended handoffs are left out, unless `includeEnded` is set.
type consequenceForOthers struct {
	affected               func(schemas.ID) store.HandoffIndex
	run                    func(o *op, r, now *store.Record) error
	ofParent, includeEnded bool
}

// opOf returns the operation of the mailbox for an operation of the engine.
func opOf(o *operation.Op) *op { return o.Rules.(*op) }

// The methods below implement [operation.Rules], some with these lists. Its other methods stand with the parts of the
// mailbox that they are about.

// BeforeWrite runs before a changed record is written. It may change only that record.
func (o *op) BeforeWrite(h *operation.RecordChange) error {
	err := o.offerToOneAgentFirst(h)
	o.setUnclaimedTime(h)
	return err
}

// AfterWrite runs after a changed record was written, and before its consequences.
func (o *op) AfterWrite(h *operation.RecordChange) error {
	return cmp.Or(o.countUsage(h), o.tellSenderOfNoTaker(h), o.collectRuleSends(h))
}

func (o *op) ApplyTimer(t operation.Timer, r *store.Record) error { return dueActions[t](o, r) }

// RunConsequence carries out a consequence. A consequence without a function is a fault of this program. The error
// undoes the operation.
func (o *op) RunConsequence(c life.Consequence, what *operation.RecordChange) (operation.ConsequenceResult, error) {
	do := consequences[c]
	if do == nil {
		return operation.ConsequenceResult{}, fmt.Errorf("nobody knows how to %s", c)
	}
	return do(o, what)
}

func (o *op) AffectedHandoffs(c life.Consequence, now *store.Record) (others store.HandoffIndex, ended bool) {
	row, id := consequencesForOthers[c], now.ID
	if row.ofParent {
		id = now.Parent
	}
	return row.affected(id), row.includeEnded
}

func (o *op) RunConsequenceFor(c life.Consequence, other, now *store.Record) error {
	return consequencesForOthers[c].run(o, other, now)
}

func (o *op) AfterCallerSeen(client schemas.Agent) error {
	return connections.ExpireNames(o.Op, client)
}

func (o *op) AfterUndo(ctx context.Context) { o.tellExceededLimit(ctx, o.exceeded) }

// consequenceWithoutResult makes a consequence from a function that adds nothing to the result of the call, such as a
// function that leaves a notice.
func consequenceWithoutResult(do func(*op, *operation.RecordChange) error) consequence {
	return func(o *op, h *operation.RecordChange) (operation.ConsequenceResult, error) {
		return operation.ConsequenceResult{}, do(o, h)
	}
}

// consequenceWithSuccessor makes a consequence from a function that sends the handoff that continues the work. The
// function returns nil if it sent no handoff.
func consequenceWithSuccessor(do func(*op, *operation.RecordChange) (*store.Record, error)) consequence {
	return func(o *op, h *operation.RecordChange) (came operation.ConsequenceResult, err error) {
		came.Successor, err = do(o, h)
		return came, err
	}
}

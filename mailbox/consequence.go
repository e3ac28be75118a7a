package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// conditions tell of what happened whether a condition of the table holds. Each condition of package life has its row
// here. They see the record before and after, and never read the store, so a condition has the same answer however
// often the transaction runs. Was is nil for a new handoff; only NeedsApproval is asked of one. For HeldByAnother an
// empty holder counts as another, and [op.notify] then tells nobody.
var conditions = map[life.Condition]func(*happening) bool{
	life.Always:          func(*happening) bool { return true },
	life.NeedsApproval:   func(h *happening) bool { return h.now.NeedsApproval && (h.was == nil || !h.was.NeedsApproval) },
	life.NeedsPermission: func(h *happening) bool { return h.now.Permission },
	life.HeldByAnother:   func(h *happening) bool { return h.was.Holder != h.was.From },
	life.PassedOn:        func(h *happening) bool { return h.was.To != h.now.To },
	life.IsRetry:         func(h *happening) bool { return h.now.RetryOf != 0 },
	life.HasParent:       func(h *happening) bool { return h.now.Parent != 0 },
	life.Reviewed:        func(h *happening) bool { return h.now.Reviewer != "" },
	life.IsReview:        func(h *happening) bool { return h.now.Reviews != 0 },
	life.Continues:       func(h *happening) bool { return h.forward != nil },
	life.Routed:          (*happening).routed,
	life.Unrouted:        func(h *happening) bool { return !h.routed() },
	life.Redirects:       func(h *happening) bool { return h.to != "" && !h.routed() },
	life.Disproved:       func(h *happening) bool { return h.text != "" && h.now.Outcome == schemas.Partial },
	life.Proved:          func(h *happening) bool { return h.was.Outcome != schemas.Success && h.now.Outcome == schemas.Success },
	life.StaysShut:       func(h *happening) bool { return reading.Shut(h.now) },
	life.Opens:           func(h *happening) bool { return !reading.DoneWell(h.was) && reading.DoneWell(h.now) },
	life.Shuts:           func(h *happening) bool { return reading.DoneWell(h.was) && !reading.DoneWell(h.now) },
	life.ThenRollback:    func(h *happening) bool { return h.then == schemas.ThenRollback && !h.routed() },
	life.ThenRetry:       func(h *happening) bool { return h.then == schemas.ThenRetry },
	life.ThenEscalate:    func(h *happening) bool { return h.then == schemas.ThenEscalate },
}

// consequence carries out what concerns the handoff itself, and says what came of it for the result of the call. A
// consequence without a case is a fault of this program: the error undoes the operation.
//
// It runs in the transaction of the action and in the name of whoever acted. What it sends is committed at once, so a
// later consequence of the same action sees the new handoff. PassOn and SendBack may refuse what the caller said, and
// that undoes the action. The others refuse nobody, since what they follow from may be the clock.
func (o *op) consequence(c life.Consequence, h *happening) (came outcome, err error) {
	switch c { //nolint:exhaustive // those of across concern others
	case life.AskApproval:
		text := "It waits for your approval: handoff approve " + h.now.ID.String()
		return came, o.notify(schemas.Human, noticeOf(noticeApproval, h.now, text))
	case life.TellSender:
		return came, o.tell(h.now, h.notice())
	case life.TellAnswerer:
		return came, o.tellAnswerer(h)
	case life.TellHolder:
		return came, o.notify(h.was.Holder, h.notice())
	case life.TellRecipient:
		principal, err := reading.Principal(o.View, h.now)
		to, directed := h.was.To.Directed()
		if err != nil || !directed || to == h.was.Holder || to == principal { // nobody by name, or one that is told otherwise
			return came, err
		}
		return came, o.notify(to, h.notice())
	case life.TellAsker:
		return came, o.notify(h.was.Asker, h.notice())
	case life.TellHuman:
		return came, o.notify(schemas.Human, h.notice())
	case life.WaitAgain:
		return came, o.waitAgain(h.now)
	case life.EndLeftovers:
		return came, o.endLeftovers(h.now)
	case life.SendRouted:
		return o.sendRouted(h)
	case life.SendReview:
		return o.sendReview(h)
	case life.Judge:
		return o.judgeReviewed(h)
	case life.EndReview:
		return came, o.endReview(h.now)
	case life.PassOn:
		if h.action == life.Accept {
			return came, o.passOnAccepted(h)
		}
		came.forwarded, err = o.passOn(h)
		if err != nil && o.over != nil { // a completion is not refused for the budget of what follows
			came.unsent = fmt.Sprintf("nothing was passed on to %s, and human was told: %s", h.forward.To, schemas.AsError(err).Message)
			err = o.tellUnsent(h.now, "What was to follow "+h.now.ID.String(), err)
		}
	case life.SendBack:
		came.successor, err = o.sendBack(h)
	case life.SendAgain:
		came.successor, err = o.orTell(h, func() (*store.Record, error) {
			return o.sendAgain(life.Rerun, h.now, nil, h.now.SentWith)
		})
	case life.SendElsewhere:
		came.successor, err = o.orTell(h, func() (*store.Record, error) { return o.redirect(h) })
	case life.SendRollback:
		came.successor, err = o.rollback(h)
	case life.SendToDecider:
		came.successor, err = o.escalate(h)
	default:
		err = fmt.Errorf("nobody knows how to %s", c)
	}
	return came, err
}

// across gives the other handoffs that a consequence concerns, and what is done to each for what happened to now; nil
// for one that concerns the handoff itself. They are gone through by id, oldest first, so that a cascade that was
// interrupted goes on behind the last one.
//
// A handoff comes once for each duty. One that has ended is passed over, see [op.do], but for MoveFreed, which has to
// reach those that were completed with a result that is returned now.
func across(c life.Consequence, now *store.Record) (others store.Index, each func(o *op, r, now *store.Record) error) {
	switch c { //nolint:exhaustive // the others concern the handoff itself
	case life.TellWaiting:
		return store.WaitingFor(now.ID), (*op).tellBlocked
	case life.FreeWaiting:
		return store.WaitingFor(now.ID), (*op).freeFrom
	case life.FreeTakenBack:
		return store.WaitingFor(now.Parent), (*op).freeTakenBack
	case life.MoveWaiting:
		return store.WaitingFor(now.ID), (*op).waitInstead
	case life.MoveFreed:
		return store.FreedBy(now.ID), (*op).waitInstead
	case life.CancelParts:
		return store.ChildrenOf(now.ID), (*op).cancelPart
	}
	return others, nil
}

// endLeftovers cancels what was sent when an attempt before done failed, and nobody holds: nobody needs a rollback or a
// decision of work that is done. The clock does it, since whoever completed is no party to those. What somebody holds
// goes on, as work under way may still be of use.
//
// It goes back along RetryOf, from the attempt just before, and finds in the events of each what was sent because of it.
// An attempt whose record cannot be read ends the walk; its sender may cancel by hand what is left then.
func (o *op) endLeftovers(done *store.Record) error {
	for before := range reading.Chain(o.View, done.RetryOf, func(r *store.Record) schemas.ID { return r.RetryOf }) {
		events, err := o.EventsOf(before, 4*lateKept) // since it ended, few are kept of it
		if err != nil {
			return err
		}
		for _, e := range events {
			if a := life.Action(e.Action); a != life.Rollback && a != life.Escalate {
				continue
			}
			if err := o.endLeftover(e.Other, before, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// endLeftover cancels one handoff that was sent because another failed, if it is pending.
func (o *op) endLeftover(id schemas.ID, failed, done *store.Record) error {
	r := o.usable(id)
	if r == nil || r.Status != schemas.Pending {
		return nil
	}
	text := fmt.Sprintf("%s did what %s failed to do, so nobody needs this any more.", done.ID, failed.ID)
	return o.endNeedless(r, done.ID, text)
}

// endNeedless cancels a handoff that nobody needs any more because of another, in the name of the clock.
func (o *op) endNeedless(r *store.Record, other schemas.ID, why string) error {
	return o.actingAs(clockCaller, func() error {
		cancelled := happening{action: life.Cancel, other: other, text: why}
		_, err := o.changeNoted(cancelled, r, schemas.UpdateIn{Action: schemas.ActCancel, Note: why}, o.end)
		return err
	})
}

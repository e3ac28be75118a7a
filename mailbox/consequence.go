package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// A consequence runs in the transaction of the action and in the name of whoever acted. What it sends is committed at
// once, so a later consequence of the same action sees the new handoff. [op.passOn] and [op.sendBack] may refuse what the
// caller said, and that undoes the action. The others refuse nobody, since what they follow from may be the clock.

// askApproval asks a person to approve a handoff.
func (o *op) askApproval(h *operation.Happening) error {
	text := "It waits for your approval: handoff approve " + h.Now.ID.String()
	return o.Tell(schemas.Human, operation.NoticeOf(noticeApproval, h.Now, text))
}

// tellRecipient tells the agent for whom the handoff was by name, unless it held the handoff or is told as the one that
// asked for the work.
func (o *op) tellRecipient(h *operation.Happening) error {
	principal, err := reading.Principal(o.View, h.Now)
	to, directed := h.Was.To.Directed()
	if err != nil || !directed || to == h.Was.Holder || to == principal {
		return err
	}
	return o.Tell(to, noticeOfAll(h))
}

// rerun sends the work again as it was sent.
func (o *op) rerun(h *operation.Happening) (*store.Record, error) {
	return o.orTell(h, func() (*store.Record, error) { return o.sendAgain(life.Rerun, h.Now, nil, h.Now.SentWith) })
}

// sendElsewhere sends the work to the agent that its holder named.
func (o *op) sendElsewhere(h *operation.Happening) (*store.Record, error) {
	return o.orTell(h, func() (*store.Record, error) { return o.redirect(h) })
}

// passOnWhatFollows passes on what a completion or an acceptance says. A completion is not refused for the budget of what
// follows.
func (o *op) passOnWhatFollows(h *operation.Happening) (came operation.Outcome, err error) {
	if h.Action == life.Accept {
		return came, o.passOnAccepted(h)
	}
	if came.Forwarded, err = o.passOn(h); err == nil || o.over == nil {
		return came, err
	}
	came.Unsent = fmt.Sprintf("nothing was passed on to %s, and human was told: %s", h.Forward.To, schemas.AsError(err).Message)
	return came, o.tellUnsent(h.Now, "What was to follow "+h.Now.ID.String(), err)
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
	r := o.Usable(id)
	if r == nil || r.Status != schemas.Pending {
		return nil
	}
	text := fmt.Sprintf("%s did what %s failed to do, so nobody needs this any more.", done.ID, failed.ID)
	return o.endNeedless(r, done.ID, text)
}

// endNeedless cancels a handoff that nobody needs any more because of another, in the name of the clock.
func (o *op) endNeedless(r *store.Record, other schemas.ID, why string) error {
	return o.ActingAs(operation.ClockCaller, func() error {
		cancelled := &operation.Happening{Action: life.Cancel, Other: other, Text: why}
		_, err := o.ChangeNoted(cancelled, r, schemas.UpdateIn{Action: schemas.ActCancel, Note: why}, o.End)
		return err
	})
}

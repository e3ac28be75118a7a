package mailbox

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// draftContinuation drafts the handoff that a completion passes on, nil for none, before the transaction. What the continuation
// leaves out it has from the completion: the summary and the reason. The errors are those of [draft.Maker.One], with
// the field below continuation; invalid for one without a task. The draft is made before it is known whether the caller
// holds the handoff, so its errors come first. It reads nothing from the store.
func (e *env) draftContinuation(by schemas.Caller, in schemas.CompleteIn, now time.Time) (_ *draft.Draft, err error) {
	c := in.Continuation
	if c == nil || c.To == "" {
		return nil, nil
	}
	send := c.SendIn
	options := schemas.OrZero(send.Options)
	options.Reason = cmp.Or(options.Reason, c.Reason)
	send.Options = &options
	if send.Task == "" {
		return nil, schemas.Invalidf("continuation.task", "is needed to pass on to %s", c.To).
			WithHint("Say what %s is to do, or pass nothing on.", c.To)
	}
	send.Summary = cmp.Or(send.Summary, in.Summary) // what was just found is what the next one needs
	send.Context = compose.WithContext(send.Context, c.ContextForNext)
	d, err := e.drafts.One(by, send, now)
	return &d, schemas.Within("continuation", err)
}

// sendContinuation sends the continuation of a completed handoff, as its child unless it names another parent, and notes on the
// completed one what it passed on. It is refused like any send; then the completion is undone with it, and the error
// says so, but where a limit of the workflow refuses it. A message is passed on as a notice and noted nowhere. The draft
// may be used by another run of the transaction, so a copy of it is changed. It comes from the holder, also where the
// caller acted under another name over the connection that claimed.
func (o *op) sendContinuation(h *operation.Happening) (*schemas.SendOut, error) {
	r, next := h.Now, *h.Forward
	next.Parent = cmp.Or(next.Parent, r.ID.String())
	if next.Handoff.Source.Agent != o.By.Agent { // the token said who it is
		next.Handoff.Source.Agent = o.By.Agent
		if err := o.drafts.Encode(&next); err != nil {
			return nil, err
		}
	}
	sent, err := o.sendDraft(&next)
	if err != nil && (o.overrun != nil || h.Action == life.Accept) {
		return nil, err // which refuses the continuation alone
	}
	if err != nil {
		e := schemas.AsError(schemas.Within("continuation", err))
		hint := strings.TrimSpace(fmt.Sprintf("%s %s was not completed either.", e.Hint, r.ID))
		return nil, e.About(0, "", 0).WithHint("%s", hint).WithNext()
	}
	if sent.HandoffID == 0 {
		return &sent, nil
	}
	return &sent, o.noteForward(r, sent.HandoffID, func(now *store.Record) { now.Forwarded = sent.HandoffID })
}

// noteForward notes on the record of a handoff which other one was made because of what happened to it.
func (o *op) noteForward(r *store.Record, made schemas.ID, note func(now *store.Record)) error {
	now := r.Clone()
	note(&now)
	return o.Commit(&operation.Happening{Action: life.Forward, Was: r, Now: &now, Other: made})
}

// holdBack keeps what a completion passes on until its result is accepted. What can be refused is refused now.
func (o *op) holdBack(next *draft.Draft, out *schemas.CompleteOut) error {
	if next == nil {
		return nil
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf("%s gets what follows once the result is accepted", next.To))
	_, err := o.checkDraft(next)
	return schemas.Within("continuation", err)
}

// heldContinuation is what the completion of reviewed work passes on, nil for nothing. What cannot be sent any more is told, and
// refuses no acceptance.
func (o *op) heldContinuation(r *store.Record) (*draft.Draft, error) {
	if r.Reviewer == "" {
		return nil, nil
	}
	var done schemas.Completion
	if err := o.DecodeContent(r.ID, r.Result, &done); err != nil {
		return nil, err
	}
	next, err := o.draftContinuation(holderCaller(r, o.By), schemas.CompleteIn{Result: done.Result}, o.Now)
	if err != nil {
		return nil, o.tellUnsent(r, fmt.Sprintf("What was to follow %s", r.ID), err)
	}
	return next, nil
}

// passOnAccepted sends what was held back, in the name of whoever did the work.
func (o *op) passOnAccepted(h *operation.Happening) error {
	err := o.TryPart(func() error {
		return o.ActingAs(holderCaller(h.Now, o.By), func() error {
			_, err := o.sendContinuation(h)
			return err
		})
	})
	if err != nil {
		return o.tellUnsent(h.Now, fmt.Sprintf("What was to follow %s", h.Now.ID), err)
	}
	return nil
}

// A consequence runs in the transaction of the action and in the name of whoever acted. What it sends is committed at
// once, so a later consequence of the same action sees the new handoff. [op.sendContinuation] and [op.sendBack] may refuse what the
// caller said, and that undoes the action. The others refuse nobody, since what they follow from may be the clock.

// askApproval asks a person to approve a handoff.
func (o *op) askApproval(h *operation.Happening) error {
	text := "It waits for your approval: handoff approve " + h.Now.ID.String()
	return o.NotifyAgent(schemas.Human, operation.NoticeOf(noticeApproval, h.Now, text))
}

// tellRecipient tells the agent for whom the handoff was by name, unless it held the handoff or is told as the one that
// asked for the work.
func (o *op) tellRecipient(h *operation.Happening) error {
	principal, err := reading.Principal(o.View, h.Now)
	to, directed := h.Was.To.Directed()
	if err != nil || !directed || to == h.Was.Holder || to == principal {
		return err
	}
	return o.NotifyAgent(to, noticeOf(h))
}

// rerun sends the work again as it was sent.
func (o *op) rerun(h *operation.Happening) (*store.Record, error) {
	return o.sendOrTell(h, func() (*store.Record, error) { return o.sendAgain(life.Rerun, h.Now, nil, h.Now.SentWith) })
}

// sendElsewhere sends the work to the agent that its holder named.
func (o *op) sendElsewhere(h *operation.Happening) (*store.Record, error) {
	return o.sendOrTell(h, func() (*store.Record, error) { return o.redirect(h) })
}

// passOn passes on what a completion or an acceptance says. A completion is not refused for the budget of what
// follows.
func (o *op) passOn(h *operation.Happening) (came operation.Outcome, err error) {
	if h.Action == life.Accept {
		return came, o.passOnAccepted(h)
	}
	if came.Forwarded, err = o.sendContinuation(h); err == nil || o.overrun == nil {
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
		events, err := o.EventsOf(before, 4*maxLate) // since it ended, few are kept of it
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
	r := o.UsableRecord(id)
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
		_, err := o.ChangeWithNote(cancelled, r, schemas.UpdateIn{Action: schemas.ActCancel, Note: why}, o.End)
		return err
	})
}

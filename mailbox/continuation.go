package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// draftContinuation drafts the continuation of a completion before the transaction, or returns nil if the completion
// has none. A continuation without a summary gets the summary of the completion.
//
// The errors are the errors of [draft.Maker.MakeOne], with a field that begins with "continuation", and invalid for a
// continuation without a task. A caller that is not the holder may get these errors, because only the transaction knows
// the holder.
func (e *env) draftContinuation(by schemas.Caller, in schemas.CompleteIn, now time.Time) (_ *draft.Draft, err error) {
	c := in.Continuation
	if c == nil || c.To == "" {
		return nil, nil
	}
	send := c.SendIn
	options := schemas.ValueOrZero(send.Options)
	options.Reason = cmp.Or(options.Reason, c.Reason)
	send.Options = &options
	if send.Task == "" {
		return nil, schemas.Invalidf("continuation.task", "is needed to pass on to %s", c.To).
			WithHint("Say what %s is to do, or pass nothing on.", c.To)
	}
	send.Summary = cmp.Or(send.Summary, in.Summary) // the next agent needs the finding of this one
	send.Context = compose.ContextWithState(send.Context, c.ContextForNext)
	d, err := e.drafts.MakeOne(by, send, now)
	return &d, schemas.PrefixField("continuation", err)
}

// sendContinuation sends the continuation of a completed handoff in the name of its holder. The new handoff is a child
// of the completed handoff, unless the continuation names another parent. The completed handoff names the new handoff.
// A continuation of the type message becomes a notice.
//
// A refused continuation undoes the operation, and the error says that the handoff was not completed. For a limit of
// the workflow see [op.sendContinuationOrTell]. sendContinuation changes a copy of the draft, because the transaction
// may run again with the same draft.
func (o *op) sendContinuation(h *operation.RecordChange) (*schemas.SendOut, error) {
	r, next := h.Now, *h.Forward
	next.Parent = cmp.Or(next.Parent, r.ID.String())
	if o.useDurationForNext(r, &next) || next.Handoff.Source.Agent != o.By.Agent { // the token proved another agent
		next.Handoff.Source.Agent = o.By.Agent
		if err := o.drafts.Encode(&next); err != nil {
			return nil, err
		}
	}
	sent, err := o.sendDraft(&next)
	if err != nil && (o.exceeded != nil || h.Action == life.Accept) {
		return nil, err // refuses only the continuation
	}
	if err != nil {
		e := schemas.AsError(schemas.PrefixField("continuation", err))
		hint := strings.TrimSpace(fmt.Sprintf("%s %s was not completed either.", e.Hint, r.ID))
		return nil, e.WithHandoff(0, "", 0).WithHint("%s", hint).WithNext()
	}
	if sent.HandoffID == 0 {
		return &sent, nil
	}
	return &sent, o.recordCreatedHandoff(r, sent.HandoffID, func(now *store.Record) { now.Forwarded = sent.HandoffID })
}

// useDurationForNext gives a continuation without an estimate the duration that the sender of r expected of the next
// role. It does nothing and returns false if the continuation is for another role or for human.
func (o *op) useDurationForNext(r *store.Record, next *draft.Draft) bool {
	var before schemas.Handoff
	if next.Estimate != 0 || next.To == schemas.Address(schemas.Human) || o.DecodeContent(r.ID, r.Body, &before) != nil {
		return false
	}
	state := schemas.ValueOrZero(before.Context).State
	role, _ := state["next_role"].(string)
	expected, _ := state["next_expected_duration"].(string)
	if kind, _ := next.To.Split(); !schemas.IsDuration(expected) || kind == "role" && !roster.IsSamePool(next.To, schemas.Address("role:"+role)) {
		return false
	}
	e := schemas.ValueOrZero(next.Handoff.Expectations)
	e.EstimatedDuration = expected
	_, next.Estimate, _ = draft.ParseDurations(&schemas.Expectations{EstimatedDuration: expected}) // it is a duration
	next.Handoff.Expectations = &e
	return true
}

// recordCreatedHandoff writes into the record of r that a handoff was created as a consequence of r. The function
// `note` sets the field that names the created handoff.
func (o *op) recordCreatedHandoff(r *store.Record, made schemas.ID, note func(now *store.Record)) error {
	now := r.Clone()
	note(&now)
	return o.Commit(&operation.RecordChange{Action: life.Forward, Was: r, Now: &now, Other: made})
}

// holdBackContinuation warns the holder that its continuation is sent only after the result is accepted. It checks the
// continuation now, because the holder can still correct it.
func (o *op) holdBackContinuation(next *draft.Draft, out *schemas.CompleteOut) error {
	if next == nil {
		return nil
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf("%s gets the continuation once the result is accepted", next.To))
	_, err := o.checkDraft(next)
	return schemas.PrefixField("continuation", err)
}

// heldContinuation returns the continuation of reviewed work, or nil if there is none. If the continuation can no
// longer be sent, the acceptance still counts, and the owner of the workflow and human are told.
func (o *op) heldContinuation(r *store.Record) (*draft.Draft, error) {
	if r.Reviewer == "" {
		return nil, nil
	}
	var done schemas.Completion
	if err := o.DecodeContent(r.ID, r.Result, &done); err != nil {
		return nil, err
	}
	next, err := o.draftContinuation(callerForHolder(r, o.By), schemas.CompleteIn{Result: done.Result}, o.Now)
	if err != nil {
		return nil, o.tellOwnerOfUnsent(r, fmt.Sprintf("The continuation of %s", r.ID), err)
	}
	return next, nil
}

// sendHeldContinuation sends the continuation of accepted work in the name of the agent that did the work, see
// [op.holdBackContinuation].
func (o *op) sendHeldContinuation(h *operation.RecordChange) error {
	err := o.TryPart(func() error {
		return o.RunAs(callerForHolder(h.Now, o.By), func() error {
			_, err := o.sendContinuation(h)
			return err
		})
	})
	if err != nil {
		return o.tellOwnerOfUnsent(h.Now, fmt.Sprintf("The continuation of %s", h.Now.ID), err)
	}
	return nil
}

// The functions below carry out consequences, in the transaction of the action and in the name of the agent that took
// the action. A handoff that one of them sends is committed at once, so that a later consequence sees the handoff.
//
// [op.sendContinuation] and [op.sendRework] may refuse the caller's arguments, and a refusal undoes the action. The
// other consequences never refuse the action, because the clock may have caused it, and the clock cannot correct an
// error.

// askApproval asks a person to approve a handoff.
func (o *op) askApproval(h *operation.RecordChange) error {
	text := "It waits for your approval: handoff approve " + h.Now.ID.String()
	return o.NotifyAgent(schemas.Human, operation.NoticeOf(noticeApproval, h.Now, text))
}

// tellRecipient tells the agent to which the handoff was addressed by name. It leaves no notice if that agent held the
// handoff, or if that agent gets a notice already, see [reading.AgentToNotify].
func (o *op) tellRecipient(h *operation.RecordChange) error {
	principal, err := reading.AgentToNotify(o.View, h.Now)
	to, directed := h.Was.To.SingleAgent()
	if err != nil || !directed || to == h.Was.Holder || to == principal {
		return err
	}
	return o.NotifyAgent(to, noticeOf(h))
}

// rerunWork sends the work again, without changes by a caller.
func (o *op) rerunWork(h *operation.RecordChange) (*store.Record, error) {
	return o.sendAgain(life.Rerun, h.Now, nil, h.Now.SentWith)
}

// sendContinuationOrTell sends the continuation of a completion or of an acceptance. If a limit of the workflow refuses
// the continuation, the completion stays, and human is told.
func (o *op) sendContinuationOrTell(h *operation.RecordChange) (came operation.ConsequenceResult, err error) {
	if h.Action == life.Accept {
		return came, o.sendHeldContinuation(h)
	}
	if came.Forwarded, err = o.sendContinuation(h); err == nil || o.exceeded == nil {
		return came, err
	}
	came.Unsent = fmt.Sprintf("nothing was passed on to %s, and human was told: %s", h.Forward.To, schemas.AsError(err).Message)
	return came, o.tellOwnerOfUnsent(h.Now, "The continuation of "+h.Now.ID.String(), err)
}

// cancelLeftoversOfFailures cancels pending handoffs that were sent when an earlier attempt at the finished work
// failed: rollbacks, and questions to a person how to go on. The finished work no longer needs them. Handoffs that an
// agent holds go on, because their work may still be useful. The clock cancels, because the agent that finished the
// work may have no right to these handoffs.
//
// The field RetryOf leads from each attempt to the attempt before it. The events after the end of an attempt name the
// handoffs that were sent because of its failure. At an attempt whose record cannot be read, the search stops.
func (o *op) cancelLeftoversOfFailures(done *store.Record) error {
	for before := range reading.Chain(o.View, done.RetryOf, func(r *store.Record) schemas.ID { return r.RetryOf }) {
		events, err := o.EventsOf(before, 4*maxLateOutcomes) // few events come after the end of a handoff
		if err != nil {
			return err
		}
		for _, e := range events {
			if a := life.Action(e.Action); a != life.Rollback && a != life.Escalate {
				continue
			}
			if err := o.cancelLeftoverOfFailure(e.Other, before, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// cancelLeftoverOfFailure cancels one handoff that was sent because another handoff failed. It does nothing if the
// handoff to cancel is not pending.
func (o *op) cancelLeftoverOfFailure(id schemas.ID, failed, done *store.Record) error {
	r := o.UsableRecord(id)
	if r == nil || r.Status != schemas.Pending {
		return nil
	}
	text := fmt.Sprintf("%s did what %s failed to do, so nobody needs this any more.", done.ID, failed.ID)
	return o.cancelNeedlessHandoff(r, done.ID, text)
}

// cancelNeedlessHandoff cancels the handoff r in the name of the clock, because the handoff `other` made r unnecessary.
func (o *op) cancelNeedlessHandoff(r *store.Record, other schemas.ID, why string) error {
	return o.RunAs(operation.ClockCaller, func() error {
		cancelled := &operation.RecordChange{Action: life.Cancel, Other: other, Text: why}
		_, err := o.ChangeRecordWithNote(cancelled, r, schemas.UpdateIn{Action: schemas.ActCancel, Note: why}, o.EndRecord)
		return err
	})
}

// suggestNextAgents returns agents for the next step after a successful completion, the best first: those that accept
// by name the type of a deliverable. It looks at eight types at most, first of the delivered and then of the expected
// deliverables. It leaves out the holder, and the sender, who gets the result. It returns nil if the work has a next
// step already: a continuation, a review, a step of a workflow, or a handoff that waits for this one.
func (o *op) suggestNextAgents(r *store.Record, done schemas.Completion) (next []schemas.RoutingCandidate, err error) {
	c := schemas.ValueOrZero(done.Continuation)
	if done.Status != schemas.Success || cmp.Or(c.To, c.SuggestedNext, r.Reviewer) != "" || r.Step {
		return nil, nil
	}
	for _, err := range o.OldestFirst(store.IndexByDependency(r.ID), 0) {
		return nil, err
	}
	types := schemas.Unique(append(schemas.Map(done.Deliverables, func(d schemas.Delivered) string { return d.Type }), r.Products...))
	if len(types) == 0 {
		return nil, nil
	}
	agents, err := reading.Collect(o.Agents())
	cards := schemas.Map(agents, func(a store.Agent) schemas.Card { return a.Card })
	others := []schemas.Agent{r.Holder, r.From}
	for _, kind := range roster.AcceptedAs(types[:min(len(types), maxAdvisedNames)], cards) {
		ranked, routed, err := o.rankCandidates(o.View, &store.Record{To: schemas.Address("capability:" + kind)})
		if err != nil {
			return nil, err
		}
		for i, c := range routed.Candidates {
			if slices.Contains(ranked[i].Accepts, kind) && !slices.Contains(others, c.Agent) {
				next, others = append(next, c), append(others, c.Agent)
			}
		}
	}
	return next[:min(len(next), maxSuggested)], err
}

// maxSuggested is the number of agents that a completion suggests for the next step.
const maxSuggested = 3

package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// sendRollback gives the work back, with what was sent, the failure, the questions and the partial result: to the agent that
// the happening names, else as the rollback rule of the handoff says. It is a child of the failed handoff.
func (o *op) sendRollback(h *operation.Happening) (*store.Record, error) {
	if h.Now.ReviewOf != 0 {
		return o.replaceReview(h)
	}
	r, to := h.Now, cmp.Or(h.To, reading.RollbackTarget(h.Now))
	next := o.rollbackContent(r)
	next.Title = schemas.Clip("Fix: "+r.Title, o.Limits.Title)
	next.Task = schemas.Clip(fmt.Sprintf("%s (%s) was not done: %s", r.ID, r.Title, h.Why.Text()), o.Limits.Task)
	next.Kind = "rollback"
	o.stepBack(r, &next)
	return o.createChild(life.Rollback, h, schemas.Address(to), next)
}

// rollbackContent is what was sent with r, for whoever takes the work back. The criteria become requirements: whoever decides
// how it goes on need not meet them. It is empty where the content cannot be read or leaves no room for the failure, and
// then the failure names r.
func (o *op) rollbackContent(r *store.Record) (h schemas.Handoff) {
	var sent schemas.Handoff
	if o.DecodeContent(r.ID, r.Body, &sent) != nil {
		return h
	}
	asked := schemas.OrZero(sent.Expectations)
	c := schemas.OrZero(sent.Context)
	c.OriginalRequest = cmp.Or(c.OriginalRequest, sent.Task)
	criteria := schemas.Map(contract.Criteria(sent.Expectations), func(a schemas.Answered) string { return a.Criterion })
	all := schemas.Handoff{
		Summary: sent.Summary, Detail: sent.Detail, Data: sent.Data, Requirements: slices.Concat(sent.Requirements, criteria),
		Context: &c, Expectations: &schemas.Expectations{Constraints: asked.Constraints},
	}
	if b, err := json.Marshal(all); err != nil || len(b) > o.Limits.Handoff/2 {
		return h
	}
	return all
}

// escalate asks a person to go on, with a handoff to human that is a child of the one that ended.
func (o *op) escalate(h *operation.Happening) (*store.Record, error) {
	if h.Now.ReviewOf != 0 {
		return o.replaceReview(h)
	}
	r := h.Now
	task := fmt.Sprintf("Handoff failed: %s. %s (%s) needs a decision.", h.Why.Text(), r.ID, r.Title)
	return o.createChild(life.Escalate, h, schemas.Address(schemas.Human), schemas.Handoff{
		Title: schemas.Clip("Decide: "+r.Title, o.Limits.Title),
		Task:  schemas.Clip(task, o.Limits.Task),
		Kind:  "escalation",
	})
}

// createChild creates a handoff that goes on after a failure, with what is known of why. Where the chain is too long for it,
// or the workflow past a limit, a person is told instead and the child is nil: a failure is never refused for that,
// since somebody has to hear of it.
func (o *op) createChild(a life.Action, h *operation.Happening, to schemas.Address, next schemas.Handoff) (*store.Record, error) {
	r := h.Now
	if err := o.checkDepth(lineage{}.childOf(r), r); err != nil {
		return nil, o.NotifyAgent(schemas.Human, operation.NoticeOf(noticeTooDeep, r, err.Error()+". "+h.Why.Text()))
	}
	parts, err := o.heldParts(r)
	if err != nil {
		return nil, err
	}
	if c := schemas.OrZero(next.Context); len(parts) > 0 {
		c.KnownIssues = append(slices.Clone(c.KnownIssues), parts...)
		next.Context = &c
	}
	if err := o.explain(r, &next, h.Why); err != nil {
		return nil, err
	}
	d := &draft.Draft{Handoff: next, To: to}
	if due := r.Deadline.Time(); a == life.Rollback && due.After(o.Now) {
		d.Deadline = due
	}
	return o.sendOrTell(h, func() (*store.Record, error) { return o.createSuccessor(a, r, d, lineage{}.childOf(r)) })
}

// heldParts names the parts of a handoff that somebody is at work on, ten at most: they go on though the whole has
// ended. It looks at a hundred.
func (o *op) heldParts(r *store.Record) (parts []string, err error) {
	for id, err := range reading.AtMost(100, o.Oldest(store.ChildrenOf(r.ID), 0)) {
		if err != nil || len(parts) == 10 {
			return parts, err
		}
		if part := o.UsableRecord(id); part != nil && part.Status.Held() {
			parts = append(parts, fmt.Sprintf("%s is at work on %s (%s), a part of %s: wait for it, or cancel it", part.Holder, id, part.Title, r.ID))
		}
	}
	return parts, nil
}

// sendBack gives returned work to the agent that did it, or to whom the caller names, with what is not good enough. It
// is a child of the returned handoff, charged to the token of the caller, and needs no approval of its own. The error is
// limit for one that the changes make too large.
func (o *op) sendBack(h *operation.Happening) (*store.Record, error) {
	r, rev := h.Now, h.Revision.(*revision) // a panic undoes the operation, and is a fault of this program
	d, err := o.draftAgain(r, h.Why, rev)
	if err != nil {
		return nil, err
	}
	d.To, d.Token, d.Handoff.Kind = cmp.Or(rev.to, schemas.Address(r.Holder)), o.By.Token, "return"
	if r.Reviewer == "" { // else it stays its sender's, whoever reviews it
		d.Handoff.Source = o.Signature()
	}
	// The work was approved; this is the rest of it.
	d.Handoff.Metadata.NeedsApproval = schemas.OrZero(rev.changes.Options).NeedsApproval
	return o.createSuccessor(life.Redo, r, d, rev.lineageUnder(r))
}

// createSuccessor creates a handoff that takes the place of r in the work, and names it on r. Two events come of it: the new
// handoff is sent, and then r is noted as retried, tried again, rolled back, escalated or given back, as a says. What
// the draft leaves open it has from r. It is never refused for what a sender would be refused for, such as a full
// mailbox, since what ended r may be the clock.
//
// A record names one successor, the latest. Errors about an ended handoff name it, so an agent with an old id finds the
// way.
func (o *op) createSuccessor(a life.Action, r *store.Record, d *draft.Draft, line lineage) (*store.Record, error) {
	o.inherit(d, r)
	if err := o.drafts.Encode(d); err != nil {
		return nil, err
	}
	successor, err := o.create(d, line)
	if err != nil {
		return nil, err
	}
	return successor, o.Change(&operation.Happening{Action: a, Other: successor.ID}, r, func(now *store.Record) {
		if now.Successor = successor.ID; a == life.Rollback {
			now.Rollback = successor.ID
		}
	})
}

// inherit fills what a handoff made by the rules has in common with the one it follows: tags, priority and number of
// attempts, where the draft says nothing else, and the commit with which checks compare. It comes from whoever acts, so
// from system where the clock does.
func (o *op) inherit(d *draft.Draft, r *store.Record) {
	h := &d.Handoff
	h.Schema, h.Version = schemas.Version, max(h.Version, 1)
	if h.Source.Agent == "" {
		h.Source = o.Signature()
	}
	if d.To != r.To {
		h.Target.Reason = "" // it spoke of another
	}
	h.Target = compose.Target(d.To, h.Target.Reason)
	h.Type = cmp.Or(h.Type, schemas.TypeHandoff)
	if len(h.Tags) == 0 {
		h.Tags = r.Tags
	}
	h.Metadata.Priority = cmp.Or(h.Metadata.Priority, r.Priority)
	h.Metadata.MaxAttempts = cmp.Or(h.Metadata.MaxAttempts, r.MaxAttempts)
	d.Base = reading.Base(o.View, r)
}

// sendAgain sends the same work again, beside r in its chain, with the context, partial progress and checkpoint of
// before and with what is known of why r ended. In a pool the agent that held r last is passed over, if another
// qualifies; those that rejected it stay excluded. What was rejected by the one to whom it was addressed goes to that
// one only if the caller says so. Where nobody changes anything it rests before, see [backoff]. The token given is
// charged with it as a pending handoff, "" for none.
func (o *op) sendAgain(a life.Action, r *store.Record, rev *revision, token string) (*store.Record, error) {
	why, err := o.lossOf(r)
	if err != nil {
		return nil, err
	}
	d, err := o.draftAgain(r, why, rev)
	if err != nil {
		return nil, err
	}
	if d.Token, d.To = token, schemas.OrZero(rev).to; d.To == "" {
		if d.To = r.To; rejectedBy(r, why) == schemas.Agent(r.To) {
			return nil, refuseSameRecipient(r, why)
		}
	}
	others, err := o.hasOtherCandidates(r, r.Holder)
	if err != nil {
		return nil, err
	}
	if d.Excluded = slices.Clone(r.Excluded); others && r.Holder != "" {
		d.Excluded = append(d.Excluded, r.Holder)
	}
	if by := rejectedBy(r, why); by != "" && !slices.Contains(d.Excluded, by) {
		d.Excluded = append(d.Excluded, by)
	}
	d.Excluded = slices.DeleteFunc(d.Excluded, func(a schemas.Agent) bool { return rev != nil && schemas.Address(a) == rev.to })
	beside := lineage{
		workflow: r.Workflow, parent: r.Parent, depth: r.Depth, maxDepth: r.MaxDepth, retryOf: r.ID,
		dependencies: o.originalDependencies(d.Handoff.Metadata),
	}
	if rev != nil {
		beside.dependencies = rev.dependencies
	} else {
		d.NotBefore = o.Now.Add(backoff(d.Attempt))
	}
	return o.createSuccessor(a, r, d, beside)
}

// redirect sends rejected work to the one whom the happening names, at once, with the reason.
func (o *op) redirect(h *operation.Happening) (*store.Record, error) {
	sent, err := reading.Handoff(o.View, h.Now)
	if err != nil {
		return nil, err
	}
	rev := &revision{to: schemas.Address(h.To), dependencies: o.originalDependencies(sent.Metadata)}
	return o.sendAgain(life.Rerun, h.Now, rev, h.Now.SentWith)
}

// fullContent reads what was sent, for whoever does the work again. The error is conflict where something of it was let
// go of.
func (o *op) fullContent(r *store.Record, h *schemas.Handoff) error {
	lessened, err := reading.LostContent(o.View, r)
	if err != nil || !lessened {
		return cmp.Or(err, o.DecodeContent(r.ID, r.Body, h))
	}
	return schemas.Errorf(schemas.Conflict, "what was sent with %s is no longer kept in full, so it cannot be done again", r.ID).
		WithHint("It ended too long ago for this workspace. Send a new handoff, and say all that is needed.")
}

// draftAgain drafts the same work with why it is done again. A deadline and the end of a timeout that are yet to come
// stay; one that is over goes, and a timeout then counts anew. A time before which nobody may begin belongs to the first
// attempt, and goes. What was amended since the send is part of the work, and what the caller changes now; approval that
// was needed once is needed again.
func (o *op) draftAgain(r *store.Record, why operation.Loss, rev *revision) (*draft.Draft, error) {
	d := &draft.Draft{Attempt: attemptsOf(r), Estimate: r.Estimated()}
	if err := o.fullContent(r, &d.Handoff); err != nil {
		return nil, err
	}
	m := &d.Handoff.Metadata
	m.NotBefore = nil
	if rev != nil {
		if err := rev.apply(d, o.By.Agent, o.Now); err != nil {
			return nil, err
		}
	}
	timeout, estimate, err := draft.Durations(d.Handoff.Expectations)
	if err != nil {
		return nil, inChanges(err)
	}
	d.Estimate = cmp.Or(estimate, d.Estimate)
	if d.Deadline = r.Deadline.Time(); rev.setsDeadline() || !d.Deadline.After(o.Now) {
		if m.Deadline != nil && !m.Deadline.After(o.Now) {
			m.Deadline = nil
		}
		d.Deadline = draft.Deadline(schemas.OrZero(m.Deadline), o.Now, timeout)
	}
	if rev != nil {
		d.Handoff.Title = schemas.Clip(d.Handoff.Title, o.Limits.Title)
		err := o.drafts.Encode(d)
		if err = cmp.Or(err, schemas.TooBig("changes", len(d.Content.Bytes), o.Limits.Handoff)); err != nil {
			return nil, err
		}
	}
	return d, o.explain(r, &d.Handoff, why.ForRetry())
}

// rejectedBy is who rejected a handoff, "" where that is not how it ended.
func rejectedBy(r *store.Record, why operation.Loss) schemas.Agent {
	if r.Status != schemas.Rejected || why.Failure == nil {
		return ""
	}
	return why.Failure.Source.Agent
}

// refuseSameRecipient refuses to send work again to the one who rejected it, as long as the caller does not insist.
func refuseSameRecipient(r *store.Record, why operation.Loss) error {
	another := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRetry, To: cmp.Or(why.Failure.Alternative, schemas.Blank)}
	return operation.Conflict(r, "%s rejected %s: %s", r.To, r.ID, why.Text()).WithField("to").
		WithHint("Say who is to do it; name %s again if the reason is gone.", r.To).
		WithNext(schemas.Call(another, "sends it to another"))
}

// attemptsOf is how many attempts a handoff has used up. A claim that was given back, or that ended because the holder
// would not do the work, is none.
func attemptsOf(r *store.Record) int {
	if r.Uncharged || r.Status == schemas.Rejected {
		return max(r.Attempt-1, 0)
	}
	return r.Attempt
}

// lossOf is why a handoff ended badly, as far as anybody said: the failure, the reason of a time-out, or the note of
// whoever cancelled or refused it; else the state.
func (o *op) lossOf(r *store.Record) (why operation.Loss, err error) {
	if r.Result == 0 {
		said, _ := reading.EndReason(o.View, r, nil) // a note that cannot be read keeps nobody from going on
		return operation.Loss{Reason: cmp.Or(said, string(r.Status))}, nil
	}
	why.Failure = &schemas.Failure{}
	return why, o.DecodeContent(r.ID, r.Result, why.Failure)
}

// maxFailures is how many earlier failures a handoff tells of.
const maxFailures = 10

// explain puts the failure of r, and what was achieved, into the context of the handoff that goes on: the failure
// behind earlier ones, of which it keeps ten; what blocked it as known issues; questions; and the last checkpoint, or
// partial progress where there is none. Where that makes the handoff too large it says only where to read it: a handoff
// that goes on is never refused, since what ended the one before it may be the clock.
//
// The handoff is changed, but none of the lists that it shares with the content of r: they are copied before they grow.
func (o *op) explain(r *store.Record, h *schemas.Handoff, why operation.Loss) error {
	before := schemas.OrZero(h.Context)
	c := before
	c.PreviousFailures = slices.Clone(before.PreviousFailures)
	if r.Status != schemas.Returned { // a rework says why
		c.PreviousFailures = append(c.PreviousFailures, fmt.Sprintf("%s %s: %s", r.ID, r.Status, why.Text()))
	}
	c.PreviousFailures = c.PreviousFailures[max(len(c.PreviousFailures)-maxFailures, 0):]
	if f := why.Failure; f != nil {
		for _, b := range f.Failure.Blockers {
			c.KnownIssues = append(c.KnownIssues, b.Description)
		}
		c.PartialProgress = f.Failure.PartialProgress
		if f.RollbackRequest != nil {
			c.Questions = f.RollbackRequest.Questions
		}
	}
	checkpoint, err := reading.Checkpoint(o.View, r)
	if err != nil {
		return err
	}
	if c.Checkpoint = checkpoint; checkpoint != nil && checkpoint.PartialProgress != nil {
		c.PartialProgress = nil // it is told once
	}
	h.Context = &c
	if b, err := json.Marshal(h); err != nil || len(b) <= o.Limits.Handoff-headroom {
		return err
	}
	if h.Context = &before; r.Status != schemas.Returned {
		before.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s The rest is in %s.",
			r.ID, r.Status, schemas.Clip(why.Text(), 200), r.ID))
	}
	return nil
}

// headroom is left in a handoff made by the rules for what is filled in later, in bytes.
const headroom = 1 << 10

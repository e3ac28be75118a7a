package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// sendRollback gives failed work back as a child of the failed handoff, with the content, the failure, the questions
// and the partial result. The child goes to the agent in h.To, otherwise to the agent of [reading.RollbackTarget].
func (o *op) sendRollback(h *operation.RecordChange) (*store.Record, error) {
	r, to := h.Now, cmp.Or(h.To, reading.RollbackTarget(h.Now))
	next := o.rollbackContent(r)
	next.Title = schemas.Clip("Fix: "+r.Title, o.Limits.Title)
	next.Task = schemas.Clip(fmt.Sprintf("Do what %s (%s) asked, or mend what stopped it. It was not done: %s", r.ID, r.Title, h.Why.Text()), o.Limits.Task)
	next.Kind = "rollback"
	o.turnIntoPreviousStep(r, &next)
	return o.createChildOfFailed(life.Rollback, h, schemas.Address(to), next)
}

// rollbackContent returns the content of r for the agent that takes the work back, or for the person that decides how
// it goes on. The criteria become requirements, because the receiver need not meet them. The result is empty if the
// content cannot be read, or if it takes more than half of the bytes that a handoff may have.
func (o *op) rollbackContent(r *store.Record) (h schemas.Handoff) {
	var sent schemas.Handoff
	if o.DecodeContent(r.ID, r.Body, &sent) != nil {
		return h
	}
	asked := schemas.ValueOrZero(sent.Expectations)
	c := schemas.ValueOrZero(sent.Context)
	c.OriginalRequest = cmp.Or(c.OriginalRequest, sent.Task)
	criteria := schemas.Map(contract.NumberedCriteria(sent.Expectations), func(a schemas.AnsweredCriterion) string { return a.Criterion })
	all := schemas.Handoff{
		Summary: sent.Summary, Detail: sent.Detail, Data: sent.Data, Requirements: slices.Concat(sent.Requirements, criteria),
		Context: &c, Expectations: &schemas.Expectations{Constraints: asked.Constraints},
	}
	if b, err := json.Marshal(all); err != nil || len(b) > o.Limits.Handoff/2 {
		return h
	}
	return all
}

// sendToHuman asks a person how the work goes on, with a handoff to human that is a child of the ended handoff.
func (o *op) sendToHuman(h *operation.RecordChange) (*store.Record, error) {
	r := h.Now
	next := o.rollbackContent(r)
	next.Title = schemas.Clip("Decide: "+r.Title, o.Limits.Title)
	next.Task = schemas.Clip(fmt.Sprintf("Handoff failed: %s. %s (%s) needs a decision.", h.Why.Text(), r.ID, r.Title), o.Limits.Task)
	next.Kind = "escalation"
	return o.createChildOfFailed(life.Escalate, h, schemas.Address(schemas.Human), next)
}

// createChildOfFailed creates a child of a failed handoff, which continues the work and contains the reasons of the
// failure. If the chain of parents is too long, or the workflow is past a limit, a person is told, and no handoff is
// created. The limit does not refuse the failure, because the work must not be forgotten. A failed review has no such
// child, see [op.replaceReview].
func (o *op) createChildOfFailed(a life.Action, h *operation.RecordChange, to schemas.Address, next schemas.Handoff) (*store.Record, error) {
	r := h.Now
	if r.ReviewOf != 0 {
		return o.replaceReview(h)
	}
	if err := o.checkChainLength(lineage{}.childOf(r), r); err != nil {
		return nil, o.NotifyAgent(schemas.Human, operation.NoticeOf(noticeTooDeep, r, err.Error()+". "+h.Why.Text()))
	}
	if err := o.addEndReasons(r, &next, h.Why); err != nil {
		return nil, err
	}
	d := &draft.Draft{Handoff: next, To: to}
	if due := r.Deadline.Time(); a == life.Rollback && due.After(o.Now) {
		d.Deadline = due
	}
	return o.createSuccessor(a, r, d, lineage{}.childOf(r))
}

// describeHeldParts returns a text for each part of a handoff that an agent still holds or that human has not taken
// yet, ten at most. These parts go on although the whole has ended. It looks at the first hundred parts.
func (o *op) describeHeldParts(r *store.Record) (parts []string, err error) {
	for part, err := range reading.Records(reading.AtMost(100, o.OldestFirst(store.IndexByParent(r.ID), 0)), o.UsableRecord) {
		if err != nil || len(parts) == 10 {
			return parts, err
		}
		switch {
		case part.ID == r.Successor || part.ID == r.Rollback: // what r became is no part of it
		case part.Status.IsHeld():
			parts = append(parts, fmt.Sprintf("%s is at work on %s (%s), a part of %s: wait for it, or cancel it", part.Holder, part.ID, part.Title, r.ID))
		case isOpenQuestionToHuman(part) && part.From == r.Holder:
			parts = append(parts, fmt.Sprintf("%s asked human with %s (%s), which was open when %s ended: look there for the answer",
				part.From, part.ID, part.Title, r.ID))
		}
	}
	return parts, nil
}

// sendRework sends returned work with the points to mend to the agent that did the work, or to the agent that the
// caller names. The rework is a child of the returned handoff, counts for the token of the caller, and needs no new
// approval. The error is limit if the changes make the rework too large.
func (o *op) sendRework(h *operation.RecordChange) (*store.Record, error) {
	r, rev := h.Now, h.Revision.(*revision) // a panic undoes the operation, and is a fault of this program
	d, err := o.draftAgain(r, h.Why, rev)
	if err != nil {
		return nil, err
	}
	d.To, d.Token, d.Handoff.Kind = cmp.Or(rev.to, schemas.Address(r.Holder)), o.By.Token, "return"
	if r.Reviewer == "" { // reviewed work keeps its sender
		d.Handoff.Source = o.CallerSource()
	}
	// The work was approved; this is the rest of it.
	d.Handoff.Metadata.NeedsApproval = schemas.ValueOrZero(rev.changes.Options).NeedsApproval
	return o.createSuccessor(life.Redo, r, d, rev.reworkLineage(r))
}

// createSuccessor creates a handoff that takes the place of r in the work, and records it on r by the action a (such as
// [life.Retry]). Fields that the draft leaves open come from r. It skips the checks of a send, such as a full mailbox,
// because the clock may have ended r. A record names only its latest successor.
func (o *op) createSuccessor(a life.Action, r *store.Record, d *draft.Draft, line lineage) (*store.Record, error) {
	successor, err := o.createWithFieldsOf(r, d, line)
	if err != nil {
		return nil, err
	}
	return successor, o.ChangeRecord(&operation.RecordChange{Action: a, Other: successor.ID}, r, func(now *store.Record) {
		if now.Successor = successor.ID; a == life.Rollback {
			now.Rollback = successor.ID
		}
	})
}

// createWithFieldsOf creates a handoff that continues r, and completes its draft. It copies the base commit of r. It
// copies tags, priority and number of attempts only if the draft leaves them open. The sender is the caller, unless the
// draft names a sender. If the clock acts, the sender is system.
func (o *op) createWithFieldsOf(r *store.Record, d *draft.Draft, line lineage) (*store.Record, error) {
	h := &d.Handoff
	h.Schema, h.Version = schemas.Version, max(h.Version, 1)
	if h.Source.Agent == "" {
		h.Source = o.CallerSource()
	}
	if d.To != r.To {
		h.Target.Reason = "" // the reason was about the old recipient
	}
	h.Target = compose.TargetOf(d.To, h.Target.Reason)
	h.Type = cmp.Or(h.Type, schemas.TypeHandoff)
	if len(h.Tags) == 0 {
		h.Tags = r.Tags
	}
	h.Metadata.Priority = cmp.Or(h.Metadata.Priority, r.Priority)
	h.Metadata.MaxAttempts = cmp.Or(h.Metadata.MaxAttempts, r.MaxAttempts)
	d.Base = reading.BaseCommit(o.View, r)
	if err := o.drafts.Encode(d); err != nil {
		return nil, err
	}
	return o.createHandoff(d, line)
}

// sendAgain sends the work of r again, in the place of r in its chain, with its context, its checkpoint, and the reason
// why r ended. In a pool it excludes agents that rejected the work, and the last holder of r if another agent
// qualifies. Work goes to a recipient that rejected it only if the caller names that recipient.
//
// A nil rev means that no caller changes the work. The work then rests first, see [backoff]. The new handoff counts as
// pending for the given token. A token of "" means none.
func (o *op) sendAgain(a life.Action, r *store.Record, rev *revision, token string) (*store.Record, error) {
	why, err := o.reasonForEnd(r)
	if err != nil {
		return nil, err
	}
	d, err := o.draftAgain(r, why, rev)
	if err != nil {
		return nil, err
	}
	if d.Token, d.To = token, schemas.ValueOrZero(rev).to; d.To == "" {
		if d.To = r.To; rejectingAgent(r, why) == schemas.Agent(r.To) {
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
	if by := rejectingAgent(r, why); by != "" && !slices.Contains(d.Excluded, by) {
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

// sendToNamedAgent sends rejected work to the agent that its holder named, at once, with the reason.
func (o *op) sendToNamedAgent(h *operation.RecordChange) (*store.Record, error) {
	sent, err := reading.ReadHandoff(o.View, h.Now)
	if err != nil {
		return nil, err
	}
	rev := &revision{to: schemas.Address(h.To), dependencies: o.originalDependencies(sent.Metadata)}
	return o.sendAgain(life.Rerun, h.Now, rev, h.Now.SentWith)
}

// decodeFullContent reads the content of r into h for an agent that does the work again. The error is conflict if the
// store no longer keeps all of the content.
func (o *op) decodeFullContent(r *store.Record, h *schemas.Handoff) error {
	lessened, err := reading.HasExpiredContent(o.View, r)
	if err != nil || !lessened {
		return cmp.Or(err, o.DecodeContent(r.ID, r.Body, h))
	}
	return schemas.Errorf(schemas.Conflict, "what was sent with %s is no longer kept in full, so it cannot be sent again", r.ID).
		WithHint("It ended too long ago for this workspace. Send a new handoff, and say all that is needed.")
}

// draftAgain drafts the work of r again, with earlier amendments, with the changes of the caller, and with the reason
// for the new attempt. A future deadline stays. A past deadline is removed, and a timeout then counts anew. A delay is
// removed, because it belonged to the first attempt. Work that needed approval once needs approval again.
func (o *op) draftAgain(r *store.Record, why operation.EndReason, rev *revision) (*draft.Draft, error) {
	d := &draft.Draft{Attempt: attemptsUsed(r), Estimate: r.EstimatedDuration()}
	if err := o.decodeFullContent(r, &d.Handoff); err != nil {
		return nil, err
	}
	m := &d.Handoff.Metadata
	m.NotBefore = nil
	if rev != nil {
		if err := rev.applyToDraft(d, o.By.Agent, o.Now); err != nil {
			return nil, err
		}
	}
	timeout, estimate, err := draft.ParseDurations(d.Handoff.Expectations)
	if err != nil {
		return nil, prefixChangesField(err)
	}
	d.Estimate = cmp.Or(estimate, d.Estimate)
	if d.Deadline = r.Deadline.Time(); rev.setsDeadline() || !d.Deadline.After(o.Now) {
		if m.Deadline != nil && !m.Deadline.After(o.Now) {
			m.Deadline = nil
		}
		d.Deadline = draft.EarlierDeadline(schemas.ValueOrZero(m.Deadline), o.Now, timeout)
	}
	if rev != nil {
		d.Handoff.Title = schemas.Clip(d.Handoff.Title, o.Limits.Title)
		err := o.drafts.Encode(d)
		if err = cmp.Or(err, schemas.CheckBytes("changes", len(d.Content.Bytes), o.Limits.Handoff)); err != nil {
			return nil, err
		}
	}
	return d, o.addEndReasons(r, &d.Handoff, why.ReasonForRetry())
}

// rejectingAgent returns the agent that rejected a handoff, or "" if the handoff ended in another way.
func rejectingAgent(r *store.Record, why operation.EndReason) schemas.Agent {
	if r.Status != schemas.Rejected || why.Failure == nil {
		return ""
	}
	return why.Failure.Source.Agent
}

// refuseSameRecipient returns the error for work that would go again to the agent that rejected it. The caller may
// still name that agent.
func refuseSameRecipient(r *store.Record, why operation.EndReason) error {
	another := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRetry, To: cmp.Or(why.Failure.Alternative, schemas.Blank)}
	return operation.ConflictError(r, "%s rejected %s: %s", r.To, r.ID, why.Text()).WithField("to").
		WithHint("Say who is to do it; name %s again if the reason is gone.", r.To).
		WithNext(schemas.AdviseCall(another, "sends it to another"))
}

// attemptsUsed returns how many attempts a handoff has used up. A claim that was given back does not count. A rejection
// counts, also without a claim, so that work that everybody rejects goes to a person.
func attemptsUsed(r *store.Record) int {
	switch {
	case r.Status == schemas.Rejected:
		return max(r.AttemptNumber(), 1)
	case r.Uncharged:
		return max(r.Attempt-1, 0)
	}
	return r.Attempt
}

// reasonForEnd returns the reason why a handoff ended badly: the failure, the reason of a time-out, or the note of a
// cancel or refusal. Without a reason it returns the status.
func (o *op) reasonForEnd(r *store.Record) (why operation.EndReason, err error) {
	if r.Result == 0 {
		said, _ := reading.EndReason(o.View, r, nil) // the work goes on even if the note cannot be read
		return operation.EndReason{Reason: cmp.Or(said, string(r.Status))}, nil
	}
	why.Failure = &schemas.Failure{}
	return why, o.DecodeContent(r.ID, r.Result, why.Failure)
}

// maxFailures is the number of earlier failures in a handoff.
const maxFailures = 10

// addEndReasons tells the next holder how r ended. The handoff h continues the work of r. Its context gets the failure,
// the blockers, the questions, the parts of r that go on, and the last checkpoint or partial progress of r. The context
// keeps ten failures. If h becomes too large, addEndReasons only names r, because the size must not refuse a handoff
// that continues the work. It copies the lists that h shares with r before they grow.
func (o *op) addEndReasons(r *store.Record, h *schemas.Handoff, why operation.EndReason) error {
	parts, err := o.describeHeldParts(r)
	if err != nil {
		return err
	}
	before := schemas.ValueOrZero(h.Context)
	c := before
	c.KnownIssues = append(slices.Clone(c.KnownIssues), parts...)
	c.PreviousFailures = slices.Clone(before.PreviousFailures)
	if r.Status != schemas.Returned { // a rework has its own reason
		ended, err := o.describeAttempts(r, why)
		if err != nil {
			return err
		}
		c.PreviousFailures = append(c.PreviousFailures, ended...)
	}
	c.PreviousFailures = c.PreviousFailures[max(len(c.PreviousFailures)-maxFailures, 0):]
	if f := why.Failure; f != nil {
		for _, b := range f.Failure.Blockers {
			c.KnownIssues = append(c.KnownIssues, b.Description)
		}
		c.PartialProgress = f.Failure.PartialProgress
		compose.AddFindings(&c, r.ID, f.Failure)
		if f.RollbackRequest != nil {
			c.Questions = f.RollbackRequest.Questions
		}
	}
	checkpoint, err := reading.CheckpointToRestore(o.View, r)
	if err != nil {
		return err
	}
	if c.Checkpoint = checkpoint; checkpoint != nil && checkpoint.PartialProgress != nil {
		c.PartialProgress = nil // the checkpoint has it
	}
	h.Context = &c
	if b, err := json.Marshal(h); err != nil || len(b) <= o.Limits.Handoff-reservedBytes {
		return err
	}
	if h.Context = &before; r.Status != schemas.Returned {
		before.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s The rest is in %s.",
			r.ID, r.Status, schemas.Clip(why.Text(), 200), r.ID))
	}
	return nil
}

// describeAttempts returns a text for each attempt of ended work, with its holder, its end and the reason.
func (o *op) describeAttempts(r *store.Record, why operation.EndReason) ([]string, error) {
	who, end := cmp.Or(schemas.ValueOrZero(why.Failure).Source.Agent, r.Holder), r.Ended.Time().UTC().Format(time.RFC3339)
	if who != "" {
		end = string(who) + ", " + end
	}
	silent, err := reading.SilentAttempts(o.View, r)
	return append(silent, fmt.Sprintf("%s %s (%s): %s", r.ID, r.Status, end, why.Text())), err
}

// reservedBytes is how many bytes a handoff made by the server leaves free for later fields.
const reservedBytes = 1 << 10

package mailbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// accept accepts the result of a completed handoff, see [life.Accept]. Dependents that wait for the acceptance are
// unblocked in the same transaction. A second acceptance changes nothing, and its note is not kept. A later return
// withdraws the acceptance.
func (o *op) accept(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Accepted != 0 {
		out.Warnings = append(out.Warnings, "it was accepted before")
		_, err := o.ApplyAction(life.Accept, r)
		return r, err
	}
	next, err := o.heldContinuation(r)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(fmt.Sprintf("%s accepted the result. %s", o.By.Agent, in.Note))
	accepted := &operation.RecordChange{Action: life.Accept, Forward: next, Text: text}
	return o.ChangeRecordWithNote(accepted, r, noteOnly(in), func(now *store.Record) { now.Accepted = store.TimeOf(o.Now) })
}

// returnWork returns a completed handoff whose result is not good enough, see [life.Return]. The agent that did the
// work gets a child handoff with the reasons. A handoff can be returned once. Its dependents then depend on the child.
// Handoffs that were begun with the old result go on, and the result warns of these handoffs.
//
// The error is invalid if neither the note nor the changes have a point to mend. The error is limit if the chain of
// parents would be too long, if reviewed work was returned as often as allowed, or if the caller's token has too many
// pending handoffs.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	_, err := o.ApplyAction(life.Return, r)
	if err = cmp.Or(err, o.checkReturnLimit(r)); err != nil {
		return nil, err
	}
	rev, err := o.newRevision(life.Return, r, in, out)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(rev.setNextRound(o.By.Agent, r), o.checkChainLength(rev.reworkLineage(r), r), o.checkPendingLimit()); err != nil {
		return nil, err
	}
	returned := &operation.RecordChange{Action: life.Return, Why: operation.EndReason{Reason: rev.returnReason()}, Revision: rev}
	said := schemas.UpdateIn{Action: in.Action, Note: rev.returnReason(), Changes: in.Changes}
	now, err := o.ChangeRecordWithNote(returned, r, said, func(now *store.Record) { now.Accepted = 0 })
	if err != nil {
		return nil, err
	}
	followed, err := o.RunConsequences()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.Successor.ID, followed.Successor.To
	out.Warnings = append(out.Warnings, o.warnOfBegunDependents(r)...)
	return now, nil
}

// revision has the checked changes that a caller makes to work when it amends the work or has the work done again. A
// revision belongs to one transaction. A nil revision means that there are no changes, for example when a rule retries
// work.
type revision struct {
	changes      schemas.Changes
	note         string
	to           schemas.Address // "" for the default recipient
	deadline     time.Time       // the deadline that the caller gave
	notBefore    time.Time
	dependencies dependencies
	round        *schemas.Rework // of returned work
	changed      []string        // the changed fields, set by apply
}

// newRevision checks the changes that a caller makes to r, like the fields of a send, and puts warnings into the
// result. Amendments, returns and retries call it, so that the same change gets the same answer in all three actions.
// The field of an error begins with "changes".
//
// Amended work keeps its current dependencies. Work that is done again has the dependencies of its first send.
// newRevision writes attached content, so it must run in the transaction.
func (o *op) newRevision(
	a life.Action, r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut,
) (rev *revision, err error) {
	rev = &revision{note: strings.TrimSpace(in.Note), changes: schemas.ValueOrZero(in.Changes)}
	c := &rev.changes
	opt := schemas.ValueOrZero(c.Options)
	if schemas.ValueOrZero(c.Expectations).Base != "" && o.By.Agent == schemas.Human && !o.By.IsProvenPerson() {
		return nil, operation.PersonNeededError(r, "given another base")
	}
	if err := cmp.Or(o.checkMayChangeBase(r, *c), o.drafts.CheckChanges(c), o.separateContent(c)); err != nil {
		return nil, prefixChangesField(err)
	}
	c.To = cmp.Or(in.To, c.To)
	if c.Deadline == compose.None { // none removes the deadline, as it empties lists
		gone := schemas.Removal{"deadline": nil}
		maps.Copy(gone, c.Remove)
		c.Deadline, c.Remove = "", gone
	}
	var sent schemas.Handoff
	if err := o.DecodeContent(r.ID, r.Body, &sent); err != nil {
		return nil, err
	}
	var stays, lower []string
	amends := a == life.Amend
	if amends {
		stays, rev.dependencies = applyRole(r, c), dependenciesOf(r)
	} else {
		rev.dependencies = o.originalDependencies(sent.Metadata)
	}
	if c.Options, err = rev.dependencies.removeNamed(c.Remove, c.Options); err != nil {
		return nil, prefixChangesField(err)
	}
	if amends {
		if err := refuseChangesAfterClaim(r, c.To, schemas.ValueOrZero(c.Options)); err != nil {
			return nil, err
		}
	}
	if out.Warnings, err = o.checkNewRecipient(rev, r, amends); err != nil {
		return nil, err
	}
	var malformed error
	rev.deadline, err = o.parseNewDeadline(c.Deadline, r)
	rev.notBefore, malformed = schemas.ParseTime("options.not_before", opt.NotBefore, o.Now)
	late := draft.CheckDeadline(rev.deadline, rev.notBefore, o.Now)
	if err = cmp.Or(err, malformed, late, schemas.CheckLimits("options.limits", opt.Limits)); err != nil {
		return nil, prefixChangesField(err)
	}
	if rev.dependencies, err = o.addDependencies(rev.dependencies, opt.After, opt.AfterAccepted); err == nil {
		err = o.checkDependencyCycle(r, rev.dependencies)
	}
	if err == nil {
		lower, err = o.setWorkflowLimits(r.Workflow, opt.Limits)
	}
	effects := compose.WarnOfReinterpretedFields(schemas.SendIn{Options: c.Options, Summary: cmp.Or(c.Summary, sent.Summary)})
	out.Warnings = slices.Concat(out.Warnings, stays, effects, lower, o.warnOfChecks(c.Expectations))
	return rev, prefixChangesField(err)
}

// parseNewDeadline reads a deadline of a change. "+2h" means two hours after the present deadline of r, or after now.
func (o *op) parseNewDeadline(text string, r *store.Record) (time.Time, error) {
	if later, longer := strings.CutPrefix(text, "+"); longer && !schemas.IsDuration(later) {
		return time.Time{}, schemas.Invalidf("deadline", "%q is no time that could be added", schemas.EscapeHidden(text)).
			WithHint(`Write "+2h" for two hours more, or a time without the sign.`)
	} else if longer {
		return schemas.ParseDeadline("deadline", later, cmp.Or(r.Deadline, store.TimeOf(o.Now)).Time())
	}
	return schemas.ParseDeadline("deadline", text, o.Now)
}

// checkMayChangeBase refuses a new base commit from the agent that does the work, because checks compare the work with
// the base commit. The recipient and the last holder count as that agent, even if one of them is also the sender. Human
// may name a base. The error is denied.
func (o *op) checkMayChangeBase(r *store.Record, c schemas.Changes) error {
	by := o.By.Agent
	if schemas.ValueOrZero(c.Expectations).Base == "" || by == schemas.Human || by != r.Holder && schemas.Address(by) != r.To {
		return nil
	}
	return schemas.Errorf(schemas.Denied, "%s does the work of %s, so it does not name the commit with which its checks compare", by, r.ID).
		WithHandoff(r.ID, r.Status, 0).WithField("expectations.base").WithHint("Ask its sender or human.")
}

// checkNewRecipient checks the recipient and the reviewer that the changes name, and returns warnings. If an amendment
// changes only the type of the work or its deliverables, it checks whether they fit the recipient.
func (o *op) checkNewRecipient(rev *revision, r *store.Record, amends bool) (warnings []string, err error) {
	c, force := &rev.changes, schemas.ValueOrZero(rev.changes.Options).Force
	if c.To != "" {
		if rev.to, err = o.parseAddress("to", c.To); err != nil {
			return nil, err
		}
	}
	asked := c.Expectations.DeliverableTypes()
	if c.To != "" || amends && (c.Type != "" || len(asked) > 0) {
		next := r.Clone()
		next.To, next.Type, next.Products = cmp.Or(rev.to, r.To), cmp.Or(c.Type, r.Type), append(next.Products, asked...)
		if warnings, err = o.checkRecipient(&next, force); err != nil {
			return nil, err
		}
	}
	if c.Expectations, c.Rollback, err = draft.ParseAddresses(c.Expectations, c.Rollback, o.resolveAddress); err != nil {
		return nil, prefixChangesField(err)
	}
	review := schemas.ValueOrZero(c.Expectations).Review
	if review == "" && rev.to == "" {
		return warnings, nil
	}
	more, err := o.checkReviewer(r, cmp.Or(rev.to, r.To), cmp.Or(review, r.Reviewer), force)
	return append(warnings, more...), prefixChangesField(err)
}

// setNextRound prepares the next round of returned work. The points to mend are the criteria in the changes. If the
// changes have no criteria, the points come from the note. The error is invalid if the note has no point either. The
// first handoff is round 1, so its first rework is round 2.
func (rev *revision) setNextRound(by schemas.Agent, r *store.Record) error {
	round := schemas.Rework{Of: cmp.Or(r.ReworkOf, r.ID), Round: max(r.Round, 1) + 1, By: by, Reason: rev.note}
	round.Points, rev.changes = compose.SplitPoints(rev.changes)
	switch {
	case len(round.Points) > 0:
	case rev.note == "":
		return schemas.Invalidf("note", "is needed to return work").
			WithHint("Say what is not good enough, so that it can be mended, or what has to be met next.").
			WithNext(schemas.AdviseUpdate(r.ID.String(), schemas.ActReturn, "returns it with points to mend"))
	default:
		round.Reason, round.Points = compose.ParsePoints(rev.note)
	}
	rev.round = &round
	return nil
}

// reworkLineage returns the lineage of the rework: a child of the returned handoff r, under the lowest limit of the
// chain.
func (rev *revision) reworkLineage(r *store.Record) lineage {
	l := lineage{maxDepth: int(schemas.ValueOrZero(rev.changes.Options).Limits[schemas.LimitChain]), dependencies: rev.dependencies}
	return l.childOf(r)
}

// returnReason returns the reason of a return in one text for histories: the note, and the new criteria that the note
// does not contain.
func (rev *revision) returnReason() string {
	all := []string{rev.note}
	for i, point := range rev.round.Points {
		if !strings.Contains(rev.note, strings.TrimPrefix(point, "Mended: ")) {
			all = append(all, fmt.Sprintf("%d. %s", i+1, point))
		}
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// setsDeadline reports whether the changes have a deadline or a timeout. A nil revision has neither.
func (rev *revision) setsDeadline() bool {
	return rev != nil && (!rev.deadline.IsZero() || schemas.ValueOrZero(rev.changes.Expectations).Timeout != "")
}

// applyToDraft makes the changes in the draft d, which does the same work again. The note of a retry becomes advice for
// the next holder. The note of a return becomes the reason of the return. The error comes from [compose.ApplyChanges],
// or is limit. Its field begins with "changes".
func (rev *revision) applyToDraft(d *draft.Draft, by schemas.Agent, now time.Time) (err error) {
	h := &d.Handoff
	if rev.changed, err = compose.ApplyChanges(h, rev.changes); err != nil {
		return prefixChangesField(err)
	}
	d.NotBefore = rev.notBefore
	h.Metadata.NotBefore = schemas.TimeOrNil(rev.notBefore)
	if !rev.deadline.IsZero() {
		h.Metadata.Deadline = &rev.deadline
	}
	switch {
	case rev.round != nil:
		compose.TurnIntoRework(h, *rev.round)
	case rev.note != "":
		compose.AddRemark(h, schemas.Remark{With: schemas.ActRetry, Note: rev.note, From: by, At: now})
	}
	return draft.CheckWholeHandoff(h)
}

// retry sends a handoff that ended badly or was cancelled again, as a new handoff with the changes of the caller, see
// [life.Retry]. The old handoff keeps its state, and its record names the new handoff. A repeated call returns the same
// new handoff, and warns if the changes of the call were not applied. A failed handoff whose work was rolled back can
// still be retried. A retry withdraws the open handoff that asks human for a decision about r. retry returns the record
// of r.
//
// The error is conflict if another agent holds the rollback of r, or if the recipient of r rejected it and the caller
// names no recipient. The error is limit if the caller's token has too many pending handoffs.
func (o *op) retry(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	restored, unread := reading.CheckpointToRestore(o.View, r)
	out.Checkpoint = schemas.ValueOrZero(restored).ID
	if _, err := o.ApplyAction(life.Retry, r); cmp.Or(err, unread) != nil {
		return nil, cmp.Or(err, unread)
	}
	if before, err := o.reportRepeatedRetry(r, in, out); before || err != nil {
		return r, err
	}
	back := reading.RecordOrNil(o.View, r.Rollback)
	if back != nil && back.Status.IsHeld() && back.Holder != o.By.Agent {
		return nil, refuseRetryWhileRollbackHeld(r, back)
	}
	if err := o.checkPendingLimit(); err != nil {
		return nil, err
	}
	rev, err := o.newRevision(life.Retry, r, in, out)
	if err != nil {
		return nil, adviseForce(err)
	}
	again, err := o.sendAgain(life.Retry, r, rev, o.By.Token)
	if err != nil {
		return nil, err
	}
	if err := o.withdrawDecision(r, again, out); err != nil {
		return nil, err
	}
	out.Created, out.To, out.Changed = again.ID, again.To, rev.changed
	if back != nil && !back.Status.HasEnded() {
		out.Warnings = append(out.Warnings, openRollbackWarning(r, back, again))
	}
	return r, nil
}

// withdrawDecision cancels the handoff that asks human for a decision about failed work, because a retry is a decision.
// The result says so.
func (o *op) withdrawDecision(r, again *store.Record, out *schemas.UpdateOut) error {
	asked := reading.RecordOrNil(o.View, r.Successor)
	if asked == nil || asked.Status.HasEnded() || asked.To != schemas.Address(schemas.Human) || asked.ID == r.Rollback {
		return nil
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf("%s, which asked human to decide about %s, is withdrawn", asked.ID, r.ID))
	text := fmt.Sprintf("%s sent %s again as %s, so nobody needs to decide any more.", o.By.Agent, r.ID, again.ID)
	return o.cancelNeedlessHandoff(asked, again.ID, text)
}

// reportRepeatedRetry reports whether the latest successor of r is a retry of r. If so, it puts that retry into the
// result.
func (o *op) reportRepeatedRetry(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (bool, error) {
	if r.Successor == 0 {
		return false, nil
	}
	successor, err := o.Record(r.Successor)
	if err != nil || successor.RetryOf != r.ID {
		return false, err
	}
	if out.Created = r.Successor; in.Note != "" || in.To != "" || in.Changes != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s was retried before, as %s: amend that one", r.ID, r.Successor))
	}
	return true, nil
}

// refuseRetryWhileRollbackHeld returns the error for a retry while another agent holds the rollback of the failed work.
// Otherwise two agents would do the same work.
func refuseRetryWhileRollbackHeld(r, back *store.Record) error {
	return operation.ConflictError(r, "%s holds %s, to which %s was rolled back, so it is not started a second time", back.Holder, back.ID, r.ID).
		WithHint("Wait until %s ends, or have it released or cancelled first. Nothing was sent.", back.ID).
		WithNext(schemas.AdviseWait(back.ID, "waits for it"), messageAdvice(back.Holder))
}

// openRollbackWarning warns the caller of a retry that the failed handoff still has an open rollback. The retry does
// not end the rollback. If the rollback is still pending when the retry is completed, it is cancelled, see
// [op.cancelLeftoversOfFailures].
func openRollbackWarning(r, back, again *store.Record) string {
	if back.Status.IsHeld() {
		return fmt.Sprintf("you hold %s, to which %s was rolled back: complete it", back.ID, r.ID)
	}
	return fmt.Sprintf("%s, to which %s was rolled back, is %s at %s: it is cancelled when %s is completed before anybody claims it",
		back.ID, r.ID, back.Status, back.To, again.ID)
}

package mailbox

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// amend merges changes into the content of a handoff, see [compose.MergeChanges] and [life.Amend]. The argument `to`
// gives a pending handoff another recipient. The event of the amendment stores the whole new content, and earlier
// events keep the earlier content.
//
// Before the first write, amend checks the changes like a send, and then the size of the whole new content. The field
// of an error begins with "changes". A holder that waits for an answer gets the new content with its next claim.
func (o *op) amend(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if told := o.contextFromHolder(r, in); told != nil {
		return o.reportProgress(r, *told, out)
	}
	action := life.Amend
	if changesOnlyBase(in) {
		action = life.Rebase
	}
	now, err := o.ApplyAction(action, r)
	if err != nil {
		return nil, err
	}
	rev, err := o.newRevision(life.Amend, r, in, out)
	if err != nil {
		return nil, err
	}
	if rev.to != "" {
		changeRecipient(&now, rev.to)
		if out.To = rev.to; r.Box != "" { // a delayed handoff stays in no mailbox
			now.Box = rev.to
		}
	}
	if err := prefixChangesField(rev.applyOptionsToRecord(&now, o.Now)); err != nil {
		return nil, err
	}
	amended := &operation.RecordChange{Action: action, Was: r, Now: &now}
	h, err := o.amendContent(amended, rev, out)
	if err != nil {
		return nil, err
	}
	if action == life.Rebase { // lists do not show the base, and the approval does not cover it
		return &now, o.Commit(amended)
	}
	if err := cmp.Or(o.requireNewApproval(r, &now, h), o.amendRecord(&now, h)); err != nil {
		return nil, err
	}
	o.reportDependencies(&now, rev.changes.Options, out)
	if r.Status == schemas.Waiting && in.Action == schemas.ActAmend {
		answer := schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActAnswer, Note: schemas.Blank}
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s still waits for an answer, and is not told of this: %s",
			r.Holder, schemas.AdviseCall(answer, "answers what it asked")))
	}
	return &now, o.Commit(amended)
}

// changesOnlyBase reports whether an update changes nothing but the commit with which git compares the work.
func changesOnlyBase(in schemas.UpdateIn) bool {
	e := schemas.ValueOrZero(schemas.ValueOrZero(in.Changes).Expectations)
	return in.To == "" && e.Base != "" && reflect.DeepEqual(*in.Changes, schemas.Changes{Expectations: &schemas.Expectations{Base: e.Base}})
}

// contextFromHolder returns the report for changes with which a holder tells in the context what it did, as agents with a
// task tracker do. The report keeps them in a checkpoint, in which a later value replaces an earlier one of the same name,
// and the briefs of later work show them with the result, see [reading.HolderContext]. It returns nil for other changes
// and for other callers.
func (o *op) contextFromHolder(r *store.Record, in schemas.UpdateIn) *schemas.UpdateIn {
	c := schemas.ValueOrZero(in.Changes).Context
	if c == nil || r.Holder != o.By.Agent || !r.Status.IsHeld() || in.To != "" || !reflect.DeepEqual(*in.Changes, schemas.Changes{Context: c}) {
		return nil
	}
	told := reading.HolderContext(o.View, r)
	b, _ := schemas.Encode(c) // it was decoded from JSON
	_ = schemas.Decode(b, &told)
	delete(told, "state")
	maps.Copy(told, c.State)
	in.Changes = &schemas.Changes{Checkpoint: &schemas.Checkpoint{State: map[string]any{reading.HolderContextKey: told}}}
	return &in
}

// refuseChangesAfterClaim refuses changes that only a pending handoff can have: another recipient, and options that
// decide when the handoff may be claimed. The error is conflict.
func refuseChangesAfterClaim(r *store.Record, to string, opt schemas.SendOptions) error {
	if r.Status == schemas.Pending {
		return nil
	}
	if to != "" {
		return operation.ConflictError(r, "%s is %s and cannot be redirected", r.ID, r.Status).
			WithField("to").WithHint("Only a pending handoff can be; its holder can release it to another.")
	}
	if opt.After != nil || opt.AfterAccepted != nil || opt.NotBefore != "" || opt.NeedsApproval {
		return operation.ConflictError(r, "%s is %s, so it is too late to say when it may be begun", r.ID, r.Status).
			WithField("changes.options").WithHint("%s holds it: answer its question.", r.Holder)
	}
	return nil
}

// amendContent puts the new content and the note into the event of the amendment, and lists the changed fields in the
// result. The error is invalid if nothing would change, and limit if the new content is too large.
func (o *op) amendContent(
	a *operation.RecordChange, rev *revision, out *schemas.UpdateOut,
) (h *schemas.Handoff, err error) {
	var refused error
	err = o.rewriteContent(a, rev.note, func(body *schemas.Handoff) {
		before := len(schemas.ValueOrZero(body.Expectations).SuccessCriteria)
		if out.Changed, refused = compose.ApplyChanges(body, rev.changes); refused != nil {
			return
		}
		warnOfAddedCriteria(before, body, rev.changes, out)
		if rev.note != "" {
			out.Changed = append(out.Changed, "note")
			compose.AddRemark(body, schemas.Remark{With: schemas.ActAmend, Note: rev.note, From: o.By.Agent, At: o.Now})
		}
		body.Target = compose.TargetOf(a.Now.To, body.Target.Reason)
		if !rev.deadline.IsZero() {
			body.Metadata.Deadline = &rev.deadline
			if body.Expectations != nil && strings.HasPrefix(rev.changes.Deadline, "+") {
				body.Expectations.Timeout = "" // an earlier end would make the extension void
			}
		}
		if !rev.notBefore.IsZero() {
			body.Metadata.NotBefore = a.Now.NotBefore.Ptr()
		}
		h = body
	})
	if err = cmp.Or(prefixChangesField(refused), err); err != nil {
		return nil, err
	}
	if rev.to != "" {
		out.Changed = append(out.Changed, "to")
	}
	if len(out.Changed) == 0 {
		hint := "Say what to change, such as the title or the context."
		if a.Now.NeedsApproval {
			hint += " Whether it may begin is for a person to say."
		}
		return nil, schemas.Invalidf("changes", "names nothing that is not so already").WithHint("%s", hint)
	}
	return h, draft.CheckWholeHandoff(h)
}

// applyRole applies the field `role` of the changes, which task trackers use. Work of a pool goes to the pool of that
// role. Work for one agent stays with the agent: applyRole only notes the role in the context of the work, and warns
// the caller.
func applyRole(r *store.Record, c *schemas.Changes) (warnings []string) {
	if c.Role == "" || c.To != "" {
		return nil
	}
	if _, directed := r.To.SingleAgent(); !directed {
		c.To = "role:" + c.Role
		return nil
	}
	context := schemas.ValueOrZero(c.Context)
	context.State = maps.Clone(context.State)
	if context.State == nil {
		context.State = map[string]any{}
	}
	context.State[compose.RoleKey] = c.Role
	c.Context = &context
	return []string{fmt.Sprintf("it stays with %s, to whom it was sent: to role:%s redirects it", r.To, c.Role)}
}

// requireNewApproval makes a handoff wait for approval again if an agent changes content that human approved. Without
// this rule, an agent could replace an approved text by another text. A held handoff cannot wait for approval, so only
// human may amend it after its approval. For other callers the error is denied.
func (o *op) requireNewApproval(r, now *store.Record, h *schemas.Handoff) error {
	if !h.Metadata.NeedsApproval || o.By.IsProvenPerson() {
		return nil
	}
	if o.By.Agent == schemas.Human {
		return operation.PersonNeededError(r, "changed after its approval")
	}
	if r.Status != schemas.Pending {
		return schemas.Errorf(schemas.Denied, "%s was approved as it is and is held, so only human amends it", r.ID).
			WithHandoff(r.ID, r.Status, 0).WithHint("Answer what its holder asks, or send what is new as another handoff.")
	}
	now.NeedsApproval = true
	return nil
}

// amendRecord copies the amended fields that lists, searches and later checks need into the record, and updates its
// times. It only adds words to the search index, so a search also finds the handoff by its old text.
func (o *op) amendRecord(now *store.Record, h *schemas.Handoff) error {
	now.Title, now.Type, now.Tags, now.Priority = h.Title, h.Type, h.Tags, h.Metadata.Priority
	now.Role, now.Requires = compose.NeededRole(h), compose.SplitTags(h.Metadata.Requires)
	now.Promises, now.Products = contract.NeedsComparison(h.Expectations), h.Expectations.DeliverableTypes()
	now.Reviewer = schemas.ValueOrZero(h.Expectations).Review
	now.OnFailure = schemas.ValueOrZero(h.Rollback).OnFailure
	now.NoTakers, now.NoTakersAfter = h.Metadata.NoTakers, h.Metadata.NoTakersAfter
	return cmp.Or(o.amendTimes(now, *h), o.AddWords(now.ID, reading.MessageSearchWords(h)))
}

// amendTimes applies the deadline, the timeout and the estimate of an amended handoff. The timeout counts from the send
// of the handoff. The error is invalid for a deadline in the past.
func (o *op) amendTimes(now *store.Record, h schemas.Handoff) error {
	timeout, estimate, err := draft.ParseDurations(h.Expectations)
	if err != nil {
		return prefixChangesField(err)
	}
	until := draft.EarlierDeadline(schemas.ValueOrZero(h.Metadata.Deadline), now.Created.Time(), timeout)
	now.Deadline, now.Estimate = store.TimeOf(until), int(estimate.Minutes())
	if err := draft.CheckDeadline(until, now.NotBefore.Time(), o.Now); err != nil {
		return schemas.AsError(err).WithField("changes.deadline")
	}
	return nil
}

// rewriteContent changes the content of a handoff. It puts the whole new content and the note into the event of the
// change, and points the record to that event. Callers commit the change directly afterwards. The commit fails with
// limit if the content is too large.
func (o *op) rewriteContent(a *operation.RecordChange, note string, change func(*schemas.Handoff)) error {
	var h schemas.Handoff
	if err := o.DecodeContent(a.Was.ID, a.Was.Body, &h); err != nil {
		return err
	}
	change(&h)
	a.Now.Body, a.ContentName = o.NextEventNumber(), "handoff"
	a.Content = struct {
		schemas.Handoff
		Note string `json:"note,omitempty"`
	}{h, note}
	return nil
}

// prefixChangesField prefixes the field that an error names with "changes", because the caller gave the field as a part
// of the argument changes. It returns nil for nil.
func prefixChangesField(err error) error { return schemas.PrefixField("changes", err) }

// applyOptionsToRecord writes the amended options into a record: the dependencies, the end of the delay, the number of
// attempts, and the allowed length of the chain of parents. If the delay is over, the handoff goes into its mailbox at
// once.
func (rev *revision) applyOptionsToRecord(now *store.Record, at time.Time) error {
	if rev.changes.Options == nil {
		return nil
	}
	rev.dependencies.writeTo(now)
	copyTerms(now, rev.changes.Options.Terms)
	switch {
	case rev.notBefore.After(at):
		now.Box, now.NotBefore, now.Reserved = "", store.TimeOf(rev.notBefore), 0
	case !rev.notBefore.IsZero() && now.NotBefore != 0:
		now.Box, now.NotBefore = now.To, 0
	}
	return amendAttemptAndChainLimits(now, *rev.changes.Options)
}

// amendAttemptAndChainLimits changes the number of attempts and the allowed length of the chain of parents. The error
// is invalid for fewer attempts than were made already, and limit if the chain is longer already.
func amendAttemptAndChainLimits(now *store.Record, opt schemas.SendOptions) error {
	if n := opt.MaxAttempts; n != 0 {
		if n < now.Attempt || n == now.Attempt && now.Status == schemas.Pending && !now.Uncharged {
			return schemas.Invalidf("options.max_attempts", "%s had %s already", now.ID, schemas.CountNoun(now.Attempt, "attempt")).
				WithHint("Give more than %d, or cancel it.", now.Attempt)
		}
		now.MaxAttempts = n
	}
	most := int(opt.Limits[schemas.LimitChain])
	if most != 0 && now.Depth > most {
		return schemas.Errorf(schemas.Limit, "%s is number %d of its chain", now.ID, now.Depth).
			WithField("options.limits.max_handoffs").WithHint("Give at least %d.", now.Depth)
	}
	if most != 0 && (now.MaxDepth == 0 || most < now.MaxDepth) { // a stricter limit of an earlier sender stays
		now.MaxDepth = most
	}
	return nil
}

// warnOfAddedCriteria warns the caller that its new criteria were added to the old criteria, because the caller may
// have meant to replace the old criteria.
func warnOfAddedCriteria(before int, h *schemas.Handoff, c schemas.Changes, out *schemas.UpdateOut) {
	after := len(schemas.ValueOrZero(h.Expectations).SuccessCriteria)
	if before > 0 && after > before && len(c.Remove["success_criteria"]) == 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("all %d success criteria count, the earlier ones too: "+
			"changes.remove.success_criteria takes some away, by their text or number", after))
	}
}

// reportDependencies lists the open dependencies of an amended handoff in the result, if the call has options. An empty
// list that is not nil means that the handoff has no open dependency any more.
func (o *op) reportDependencies(now *store.Record, opt *schemas.SendOptions, out *schemas.UpdateOut) {
	if opt == nil {
		return
	}
	if out.BlockedBy = listing.BlockerTexts(now); out.BlockedBy == nil && (opt.After != nil || opt.AfterAccepted != nil) {
		out.BlockedBy = []string{}
	}
	out.Warnings = append(out.Warnings, o.warnOfPartialDependencies(now)...)
	named := len(opt.After) + len(opt.AfterAccepted)
	if named > 0 && len(out.BlockedBy) > named && !compose.ReplacesList(opt.After) && !compose.ReplacesList(opt.AfterAccepted) {
		out.Warnings = append(out.Warnings, "it keeps its earlier dependencies, too: a list that begins with "+
			compose.None+" replaces them, after and after_accepted each its own")
	}
}

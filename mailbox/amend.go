package mailbox

import (
	"maps"
	"slices"

	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// amend merges changes into what was sent: lists are extended, maps merged, the rest replaced. A pending
// handoff can be redirected with to.
func (o *op) amend(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	now, err := o.step(actAmend, r)
	if err != nil {
		return nil, err
	}
	c := value(in.Changes)
	if in.To != "" {
		c.To = in.To
	}
	if err := o.checkChanges(&c); err != nil {
		return nil, within("changes", err)
	}
	if err := o.redirect(r, &now, c.To, out); err != nil {
		return nil, err
	}
	stated, err := schemas.ParseTime("changes.deadline", c.Deadline, o.now)
	if err != nil {
		return nil, err
	}
	var h schemas.Handoff
	content, err := o.rebody(r, &now, func(body *schemas.Handoff) {
		out.Changed = merge(body, c)
		body.Target = targetOf(now.To, body.Target.Reason)
		if !stated.IsZero() {
			body.Metadata.Deadline = &stated
		}
		h = *body
	})
	if err != nil {
		return nil, err
	}
	if c.To != "" {
		out.Changed = append(out.Changed, "to")
	}
	if len(out.Changed) == 0 {
		return nil, schemas.Invalidf("changes", "names nothing to change").
			WithHint(`Give the fields to change, as {"title": "…", "context": {…}}.`)
	}
	if len(h.Tags) > maxTags {
		return nil, schemas.Errorf(schemas.Limit, "%d tags in all, at most %d are allowed", len(h.Tags), maxTags).
			WithField("changes.tags").WithHint("Send fewer.")
	}
	now.Title, now.Type, now.Tags, now.Priority = h.Title, h.Type, h.Tags, h.Metadata.Priority
	now.Promises = promises(h.Expectations)
	if err := payloadSizes(h.Summary, h.Detail, h.Data); err != nil {
		return nil, within("changes", err)
	}
	if h.Metadata.NeedsApproval && o.by.Agent != schemas.Human {
		if r.Status != schemas.Pending {
			return nil, schemas.Errorf(schemas.Denied, "%s was approved as it is and is held, so only human amends it", r.ID).
				About(r.ID, r.Status, 0).WithHint("Use action answer for what its holder asks, or send what is new as another handoff.")
		}
		now.NeedsApproval = true // what was approved was another text
	}
	if err := o.redate(&now, h); err != nil {
		return nil, err
	}
	if h.Rollback != nil {
		now.OnFailure = h.Rollback.OnFailure
	}
	if err := o.tx.PutWords(r.ID, wordsOf(&h)); err != nil {
		return nil, err
	}
	if err := o.put(actAmend, r, &now, schemas.Event{}, content); err != nil || !now.NeedsApproval || r.NeedsApproval {
		return &now, err
	}
	return &now, o.askApproval(&now)
}

func (o *op) checkChanges(c *schemas.Changes) error {
	if c.Checkpoint != nil {
		return schemas.Invalidf("checkpoint", "belongs to action progress").WithHint("Leave it out of an amendment.")
	}
	if err := schemas.TooBig("task", len(c.Task), o.Limits.Task); err != nil {
		return err
	}
	if err := schemas.TooBig("title", len(c.Title), o.Limits.Title); err != nil {
		return err
	}
	if e := c.Expectations; e != nil && len(e.OutputSchema) > 0 {
		if _, err := contract.Compile(e.OutputSchema); err != nil {
			return err
		}
	}
	if err := schemas.TooBig("type", len(c.Type), maxType); err != nil {
		return err
	}
	if c.Rollback != nil && c.Rollback.OnFailure != "" {
		if err := mailboxOf("rollback.on_failure", string(c.Rollback.OnFailure)); err != nil {
			return err
		}
	}
	return payloadSizes(c.Summary, c.Detail, c.Data)
}

// What an amendment may not grow past, as a send may not.
const (
	maxType = 64 // bytes
	maxTags = 32
)

// within says of which argument the field at fault is a part.
func within(argument string, err error) error {
	e := schemas.AsError(err)
	return e.WithField(argument + "." + e.Field)
}

func (o *op) redirect(r, now *store.Record, to string, out *schemas.UpdateOut) error {
	if to == "" {
		return nil
	}
	if r.Status != schemas.Pending {
		return schemas.Errorf(schemas.Conflict, "%s is %s and cannot be redirected", r.ID, r.Status).
			About(r.ID, r.Status, 0).WithField("to").WithHint("Only a pending handoff can be; its holder can release it to another.")
	}
	address, err := schemas.ParseAddress("to", to)
	if err != nil {
		return err
	}
	if out.Warnings, err = o.checkRecipient(&draft{to: address, handoff: schemas.Handoff{Type: r.Type}}); err != nil {
		return err
	}
	readdress(now, address)
	if out.To = address; r.Box != "" {
		now.Box = address
	}
	return nil
}

// redate applies the deadline, the timeout and the estimate of an amended handoff.
func (o *op) redate(now *store.Record, h schemas.Handoff) error {
	e := value(h.Expectations)
	timeout, err := schemas.ParseDuration("changes.expectations.timeout", e.Timeout)
	if err != nil {
		return err
	}
	estimate, err := schemas.ParseDuration("changes.expectations.estimated_duration", e.EstimatedDuration)
	if err != nil {
		return err
	}
	until := deadline(value(h.Metadata.Deadline), now.Created.Time(), timeout)
	now.Deadline, now.Estimate = store.At(until), int(estimate.Minutes())
	if err := checkDeadline(until, now.NotBefore.Time(), o.now); err != nil {
		return schemas.AsError(err).WithField("changes.deadline")
	}
	return nil
}

// merge applies changes and names the fields that they touched.
func merge(h *schemas.Handoff, c schemas.Changes) (changed []string) {
	note := func(name string, did bool) {
		if did {
			changed = append(changed, name)
		}
	}
	note("task", replace(&h.Task, c.Task))
	note("title", replace(&h.Title, c.Title))
	note("type", replace(&h.Type, c.Type))
	note("summary", replace(&h.Summary, c.Summary))
	note("detail", replace(&h.Detail, c.Detail))
	note("data", mergeMap(&h.Data, c.Data))
	note("priority", replace(&h.Metadata.Priority, c.Priority))
	note("deadline", c.Deadline != "")
	note("tags", extend(&h.Tags, c.Tags))
	note("requirements", extend(&h.Requirements, c.Requirements))
	note("context", c.Context != nil)
	note("expectations", c.Expectations != nil)
	note("rollback", c.Rollback != nil)
	h.Context = mergeContext(h.Context, c.Context)
	h.Expectations = mergeExpectations(h.Expectations, c.Expectations)
	if c.Rollback != nil {
		r := value(h.Rollback)
		replace(&r.OnFailure, c.Rollback.OnFailure)
		replace(&r.CheckpointID, c.Rollback.CheckpointID)
		extend(&r.FailureContext, c.Rollback.FailureContext)
		h.Rollback = &r
	}
	return changed
}

func mergeContext(have, more *schemas.Context) *schemas.Context {
	if more == nil {
		return have
	}
	c := value(have)
	replace(&c.OriginalRequest, more.OriginalRequest)
	replace(&c.TestCommand, more.TestCommand)
	extend(&c.CompletedSteps, more.CompletedSteps)
	extend(&c.Decisions, more.Decisions)
	extend(&c.Files, more.Files)
	extend(&c.Artifacts, more.Artifacts)
	extend(&c.Memories, more.Memories)
	extend(&c.PreviousFailures, more.PreviousFailures)
	extend(&c.KnownIssues, more.KnownIssues)
	extend(&c.ReproductionSteps, more.ReproductionSteps)
	extend(&c.References, more.References)
	extend(&c.Questions, more.Questions)
	mergeMap(&c.Results, more.Results)
	mergeMap(&c.State, more.State)
	if more.Project != nil {
		c.Project = more.Project
	}
	return &c
}

func mergeExpectations(have, more *schemas.Expectations) *schemas.Expectations {
	if more == nil {
		return have
	}
	e := value(have)
	extend(&e.Deliverables, more.Deliverables)
	extend(&e.SuccessCriteria, more.SuccessCriteria)
	extend(&e.Constraints, more.Constraints)
	extend(&e.IfStuck, more.IfStuck)
	replace(&e.Timeout, more.Timeout)
	replace(&e.EstimatedDuration, more.EstimatedDuration)
	if len(more.OutputSchema) > 0 {
		e.OutputSchema = more.OutputSchema
	}
	e.Strict = e.Strict || more.Strict
	return &e
}

func replace[T comparable](have *T, with T) bool {
	var zero T
	if with == zero || with == *have {
		return false
	}
	*have = with
	return true
}

func extend[T any](have *[]T, more []T) bool {
	*have = append(slices.Clone(*have), more...)
	return len(more) > 0
}

func mergeMap[T any](have *map[string]T, more map[string]T) bool {
	if len(more) == 0 {
		return false
	}
	all := maps.Clone(*have)
	if all == nil {
		all = map[string]T{}
	}
	maps.Copy(all, more)
	*have = all
	return true
}

package mailbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// createHandoff creates a pending handoff from a draft: its record, its workflow, its words for searches, and its
// event. It checks only the limits of the workflow, see [op.countDraftInWorkflow]. Its callers have made all other
// checks. While a delay runs, the handoff is in no mailbox. Ids count up in each workspace.
func (o *op) createHandoff(d *draft.Draft, line lineage) (*store.Record, error) {
	wf, err := o.countDraftInWorkflow(d, line)
	if err != nil {
		return nil, err
	}
	id, err := o.NewHandoffID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, line)
	if err := cmp.Or(o.joinWorkflow(r, wf), o.PutWords(id, d.Words), o.storeContents(d.Kept)); err != nil {
		return nil, err
	}
	r.Body, o.routed = o.NextEventNumber(), nil // last: the calls above may have added events
	if err := o.Commit(&operation.RecordChange{Action: life.Send, Now: r, Other: r.Parent, Content: d.Content}); err != nil {
		return nil, err
	}
	if r.ReviewOf != 0 {
		err = o.recordReview(r)
	}
	return r, err
}

// countDraftInWorkflow returns the row of a draft's workflow with the draft counted in it. [op.joinWorkflow] stores the
// row. The first send of a workflow sets its limits, and agents can only lower them later. The error comes from
// [op.checkBudget].
func (o *op) countDraftInWorkflow(d *draft.Draft, line lineage) (wf store.Workflow, err error) {
	kept, err := o.Workflow(line.workflow) // nil for a new one
	wf = schemas.ValueOrZero(kept)
	used, unread := reading.LimitUsage(o.View, line.workflow, wf, o.Now)
	if err = cmp.Or(err, unread); err != nil {
		return wf, err
	}
	round, with := o.countRounds(d, line), maps.Clone(used)
	with[schemas.LimitHandoffs]++
	with[schemas.LimitTokens] += float64(d.Tokens)
	with[schemas.LimitRounds] = round
	if len(wf.Limits)+len(d.Limits) > 0 {
		if err := o.checkBudget(d, line.workflow, &wf, kept == nil, used, with); err != nil {
			return wf, err
		}
	}
	with[schemas.LimitRounds] = max(round, used[schemas.LimitRounds])
	delete(with, schemas.LimitMinutes) // time counts minutes, and a draft adds none
	wf.Used = with
	return wf, nil
}

// countRounds returns how often the chain of a draft has come to the recipient of the draft, including the draft
// itself. It counts each earlier handoff of the chain that was sent to the same address or that the recipient held
// last. The chain goes back from a retry to the retried handoff, and from any other handoff to its parent. For human
// the result is zero.
func (o *op) countRounds(d *draft.Draft, line lineage) float64 {
	if d.To == schemas.Address(schemas.Human) {
		return 0
	}
	n := 1.0
	before := func(r *store.Record) schemas.ID { return cmp.Or(r.RetryOf, r.Parent) }
	for r := range reading.Chain(o.View, cmp.Or(line.retryOf, line.parent), before) {
		if r.To == d.To || schemas.Address(r.Holder) == d.To {
			n++
		}
	}
	return n
}

// newRecord makes a record from a draft and its lineage. The attempts of earlier handoffs for the same work count as
// used, but at least one attempt is left.
func (o *op) newRecord(id schemas.ID, d *draft.Draft, line lineage) *store.Record {
	h := &d.Handoff
	if to, err := schemas.ParseAddress("to", string(d.To)); err == nil { // an older record may spell it differently
		d.To = to
	}
	r := &store.Record{
		ID: id, Workflow: line.workflow, From: h.Source.Agent, Rule: h.ByRule().String(), Step: h.Metadata.Step != "", To: d.To, Type: h.Type, Title: h.Title, Tags: h.Tags,
		Priority: h.Metadata.Priority, Status: schemas.Pending, Box: d.To,
		Created: store.TimeOf(o.Now), Deadline: store.TimeOf(d.Deadline),
		Parent: line.parent, After: line.after, Freed: line.freed, AfterAccepted: line.accepted,
		RetryOf: line.retryOf, Depth: line.depth, MaxDepth: line.maxDepth,
		Attempt: min(d.Attempt, h.Metadata.MaxAttempts-1), MaxAttempts: h.Metadata.MaxAttempts,
		Estimate: int(d.Estimate.Minutes()), Promises: contract.NeedsComparison(h.Expectations), Products: h.Expectations.DeliverableTypes(),
		Excluded: d.Excluded, Digest: d.Digest, SentWith: d.Token, Base: d.Base,
	}
	copyTerms(r, h.Metadata.Terms)
	rework := schemas.ValueOrZero(h.Rework)
	r.ReworkOf, r.Round = rework.Of, rework.Round
	r.Role = compose.NeededRole(h)
	r.Reviewer, r.ReviewOf = schemas.ValueOrZero(h.Expectations).Review, schemas.ValueOrZero(h.Review).Of
	r.OnFailure, r.OriginID = schemas.ValueOrZero(h.Rollback).OnFailure, cmp.Or(schemas.ValueOrZero(h.Origin).HandoffID, h.TaskID)
	if d.NotBefore.After(o.Now) {
		r.Box, r.NotBefore = "", store.TimeOf(d.NotBefore)
	}
	return r
}

// copyTerms copies the terms of a draft or an amendment that decide about claims into a record. A term that is zero
// leaves the record unchanged.
func copyTerms(r *store.Record, more schemas.Terms) {
	r.NeedsApproval = r.NeedsApproval || more.NeedsApproval
	r.NoTakers, r.NoTakersAfter = cmp.Or(more.NoTakers, r.NoTakers), cmp.Or(more.NoTakersAfter, r.NoTakersAfter)
	r.Requires = append(r.Requires, compose.SplitTags(more.Requires)...)
}

// joinWorkflow stores the workflow row of a new handoff. A workflow without a name gets its name from the id of its
// first handoff, such as wf_12. The sender of the first handoff owns the workflow, and may answer, amend, cancel, retry
// and return all other handoffs in it. The owner never changes.
func (o *op) joinWorkflow(r *store.Record, wf store.Workflow) error {
	r.Workflow = cmp.Or(r.Workflow, schemas.Workflow(fmt.Sprintf("wf_%d", r.ID)))
	wf.Owner = cmp.Or(wf.Owner, r.From)
	return o.PutWorkflow(r.Workflow, wf)
}

// lineage says where a new handoff belongs: its workflow, its parent, its depth, and its dependencies. Only the
// dependencies can change later.
//
// A handoff has at most one parent, which was sent before the handoff. So each chain of parents ends, and the depth is
// the length of that chain. A retry has the parent and the depth of the handoff that it retries. A handoff that a
// rollback, an escalation or a return creates is a child, so repeated failures reach the limit of the depth.
type lineage struct {
	workflow schemas.Workflow // "" for a new one
	parent   schemas.ID
	retryOf  schemas.ID
	depth    int // in the chain of parents, 1 for the first
	maxDepth int // of that chain, 0 for the server's limit
	dependencies
}

// findLineage finds the parent, the workflow, the depth and the dependencies of a draft. Dependencies that are met
// already are in the list `freed`.
//
// Errors:
//   - not_found: the parent, the workflow or a dependency does not exist.
//   - limit: the chain of parents is too long. The error names the senders of the chain.
//   - conflict: a dependency ended without a completion.
func (o *op) findLineage(d *draft.Draft) (l lineage, err error) {
	parent, err := o.findParent(d)
	if err = cmp.Or(err, o.checkWorkflowName(d.Workflow)); err != nil {
		return l, err
	}
	ownLimit := d.Handoff.Metadata.Limits[schemas.LimitChain] // later handoffs of the chain cannot raise it
	l = lineage{workflow: d.Workflow, depth: 1, maxDepth: int(min(ownLimit, float64(o.Limits.Depth)))}
	if parent != nil {
		l = l.childOf(parent)
		// A send to human may exceed the limit of the chain. The exception is a send by a rule, because rules could
		// send to human for ever.
		if err := o.checkChainLength(l, parent); err != nil && (d.To != schemas.Address(schemas.Human) || o.By.Via == schemas.ViaClock) {
			return l, err
		}
	}
	if m := d.Handoff.Metadata; len(m.After)+len(m.AfterAccepted) > 0 {
		l.dependencies, err = o.addDependencies(dependencies{}, m.After, m.AfterAccepted)
	}
	return l, err
}

// childOf returns the lineage of a child of parent. The child is one level deeper than parent. It is in the parent's
// workflow, unless the sender named another workflow. If senders of the chain have limited its length, the lowest of
// these limits holds for the child, too.
func (l lineage) childOf(parent *store.Record) lineage {
	l.parent, l.depth = parent.ID, parent.Depth+1
	l.workflow = cmp.Or(l.workflow, parent.Workflow)
	if parent.MaxDepth != 0 && (l.maxDepth == 0 || parent.MaxDepth < l.maxDepth) {
		l.maxDepth = parent.MaxDepth
	}
	return l
}

// checkWorkflowName refuses names such as wf_12 for a new workflow. The server makes these names from ids, so a sender
// that took a name in advance would own the workflow of another sender. It also refuses wf_ho_12 and wf_none, because
// their senders meant a handoff or no workflow. The name of an existing workflow is accepted.
func (o *op) checkWorkflowName(name schemas.Workflow) error {
	number, numbered := strings.CutPrefix(string(name), "wf_")
	number = strings.TrimPrefix(number, "ho_")
	if !numbered || number == "" || number != "none" && strings.Trim(number, "0123456789") != "" {
		return nil
	}
	wf, err := o.Workflow(name)
	if err != nil || wf != nil {
		return err
	}
	return schemas.Errorf(schemas.NotFound, "there is no workflow %s", name).WithField("workflow").
		WithHint("Give a new workflow a name with a letter, or leave it out. A handoff is named as parent. Nothing was sent.")
}

// checkChainLength refuses a handoff whose chain of parents would be longer than the limit of the service, or than a
// limit that a sender of the chain has set. The error is limit, and names the senders of the chain.
func (o *op) checkChainLength(l lineage, parent *store.Record) error {
	limit := o.Limits.Depth
	if l.maxDepth != 0 {
		limit = min(limit, l.maxDepth)
	}
	if l.depth <= limit {
		return nil
	}
	chain := []string{string(o.By.Agent)} // before it, root first, the sender of each handoff of the chain
	for before := range reading.Chain(o.View, parent.ID, reading.ParentID) {
		chain = append([]string{string(before.From)}, chain...)
	}
	// The text is from MaxHandoffsExceededError in the kernl handoffs design.
	return schemas.Errorf(schemas.Limit, "Max handoffs (%d) exceeded. Chain: %s", limit, strings.Join(chain, " → ")).
		WithHandoff(parent.ID, parent.Status, 0).WithField("parent").
		WithHint("Finish it yourself, send it to human, or start a new chain with parent none. Nothing was sent.")
}

// findParent returns the parent of a draft, or nil if the draft has none. The parent is the handoff that the sender
// names, otherwise the handoff of [op.latestHeldHandoff]. If the sender names only a workflow, a parent in another
// workflow is left out.
func (o *op) findParent(d *draft.Draft) (*store.Record, error) {
	switch d.Parent {
	case "none":
		return nil, nil
	case "":
		held, others, err := o.latestHeldHandoff()
		if held != nil && d.Workflow != "" && d.Workflow != held.Workflow {
			return nil, err // another workflow was named
		}
		if others && err == nil {
			said := held.ID.String() + " is its parent, as you reported on it last. You hold others, too: parent names another one or none"
			if !slices.Contains(d.Warnings, said) { // the transaction may be repeated
				d.Warnings = append(d.Warnings, said)
			}
		}
		return held, err
	}
	r, err := o.FindHandoff(d.Parent)
	if err != nil {
		return nil, schemas.AsError(err).WithField("parent").
			WithHint("Name an existing handoff, or none to start anew. Nothing was sent.")
	}
	return r, nil
}

// latestHeldHandoff returns the handoff that the caller claimed over this connection and last reported on, or nil, and
// whether the caller holds others. It looks at the newest 64 handoffs that the caller holds. A call without a
// connection gets nil, because two agents may share a name. The exception is a call on the command line, because one
// shell belongs to one agent. Human always gets nil, because a person holds many handoffs and names the parent.
func (o *op) latestHeldHandoff() (latest *store.Record, others bool, err error) {
	if o.By.Conn == "" && o.By.Via != schemas.ViaCLI {
		return nil, false, nil // calls without a connection share only a name
	}
	if o.By.Agent == schemas.Human {
		return nil, false, nil // a person holds many handoffs, and names the parent
	}
	for r, err := range o.HeldAmong(o.By.Agent, reading.AtMost(maxLookback, o.NewestFirst(store.IndexByHolder(o.By.Agent), 0))) {
		if err != nil {
			return nil, false, err
		}
		if r.Conn != o.By.Conn && !o.isClaimingSession(r, o.By) {
			continue
		}
		if others = latest != nil; latest == nil || r.Touched > latest.Touched {
			latest = r
		}
	}
	return latest, others, nil
}

// storeContents stores attached contents in the transaction that creates the handoff, so the store has the handoff with
// its contents or nothing. The key of a content is its digest, so equal contents are stored once.
func (o *op) storeContents(contents [][]byte) error {
	for _, b := range contents {
		if err := o.PutReference(b); err != nil {
			return err
		}
	}
	return nil
}

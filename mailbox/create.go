package mailbox

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// createHandoff makes a record from a draft, together with its workflow, its words and its event. The callers of create have
// made all other checks before; create itself checks only the limits of the workflow, see [op.countDraftInWorkflow], before
// its first write. The new handoff is pending. It is in the mailbox that the draft names, or in no mailbox while a
// delay runs. Ids count up in each workspace, so the smaller id is the older handoff.
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

// countDraftInWorkflow returns the row of a draft's workflow with the draft counted in it; [op.joinWorkflow] stores that
// row. The first send of a workflow sets its limits, later sends can only lower the limits. The error comes from
// [op.checkBudget].
func (o *op) countDraftInWorkflow(d *draft.Draft, line lineage) (wf store.Workflow, err error) {
	kept, err := o.Workflow(line.workflow) // nil for a new one
	if err != nil {
		return wf, err
	}
	wf = schemas.OrZero(kept)
	used, err := reading.LimitUsage(o.View, line.workflow, wf, o.Now)
	if err != nil {
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
	delete(with, schemas.LimitMinutes) // the clock gives it
	wf.Used = with
	return wf, nil
}

// countRounds returns how often the chain of handoffs before a draft has come to the recipient of the draft, the draft
// included. It counts each earlier handoff of the chain that was sent to the same address or whose last holder was that
// agent. To go back in the chain, it follows a retry to the handoff that was retried, and any other handoff to its
// parent. For human it returns no rounds. It stops counting at a record that cannot be read.
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

// newRecord makes a record from the fields of a draft and its lineage. It counts the attempts of earlier handoffs for
// the same work, but leaves at least one attempt.
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
		Estimate: int(d.Estimate.Minutes()), Promises: contract.NeedsComparison(h.Expectations),
		Excluded: d.Excluded, Digest: d.Digest, SentWith: d.Token, Base: d.Base,
	}
	copyTerms(r, h.Metadata.Terms)
	rework := schemas.OrZero(h.Rework)
	r.ReworkOf, r.Round = rework.Of, rework.Round
	r.Reviewer, r.ReviewOf = schemas.OrZero(h.Expectations).Review, schemas.OrZero(h.Review).Of
	r.OnFailure, r.OriginID = schemas.OrZero(h.Rollback).OnFailure, schemas.OrZero(h.Origin).HandoffID
	if d.NotBefore.After(o.Now) {
		r.Box, r.NotBefore = "", store.TimeOf(d.NotBefore)
	}
	return r
}

// copyTerms copies the terms that rules about claims need from more to a record. If a term in more is zero, the record
// keeps its value.
func copyTerms(r *store.Record, more schemas.Terms) {
	r.NeedsApproval = r.NeedsApproval || more.NeedsApproval
	r.NoTakers = cmp.Or(more.NoTakers, r.NoTakers)
}

// joinWorkflow stores the workflow row of a new handoff. If the handoff has no parent and the sender gave no name, the
// workflow gets its name from the id of the handoff, such as wf_12. The sender of the first handoff owns the workflow,
// and may answer, amend, cancel, retry and return all other handoffs in it. The owner never changes. joinWorkflow runs
// in the transaction of the send, so two senders cannot both become the owner.
func (o *op) joinWorkflow(r *store.Record, wf store.Workflow) error {
	r.Workflow = cmp.Or(r.Workflow, schemas.Workflow(fmt.Sprintf("wf_%d", r.ID)))
	wf.Owner = cmp.Or(wf.Owner, r.From)
	return o.PutWorkflow(r.Workflow, wf)
}

// lineage is the place of a new handoff in its workflow. The transaction that creates the handoff computes it.
// Afterwards only the dependencies can change.
//
// A workflow is a forest: a handoff has one parent at most, and the parent was sent before it, so there are no cycles,
// and each chain of parents ends at a handoff without a parent. The depth is the length of that chain. A retry has the
// same parent and the same depth as the handoff that it retries. The handoff that a rollback, an escalation or a return
// creates is a child, so failures that follow one another reach the limit of the depth like any other chain.
type lineage struct {
	workflow schemas.Workflow // "" for a new one
	parent   schemas.ID
	retryOf  schemas.ID
	depth    int // in the chain of parents, 1 for the first
	maxDepth int // of that chain, 0 for the server's limit
	dependencies
}

// findLineage finds the place of a draft: its parent, workflow, depth and dependencies. Dependencies that are done already
// are in the list freed. The error is not_found for a parent, a workflow or a dependency that does not exist; limit for
// a chain of parents that is too long, with the senders of that chain; conflict for a dependency that ended without a
// completion.
func (o *op) findLineage(d *draft.Draft) (l lineage, err error) {
	parent, err := o.findParent(d)
	if err != nil {
		return l, err
	}
	if err := o.checkWorkflowName(d.Workflow); err != nil {
		return l, err
	}
	l = lineage{workflow: d.Workflow, depth: 1, maxDepth: o.maxDepthFor(d)}
	if parent != nil {
		l = l.childOf(parent)
		// A send to human may exceed the limit of the chain, except a send by a rule, because rules could go on for
		// ever.
		if err := o.checkChainLength(l, parent); err != nil && (d.To != schemas.Address(schemas.Human) || o.By.Via == schemas.ViaClock) {
			return l, err
		}
	}
	if m := d.Handoff.Metadata; len(m.After)+len(m.AfterAccepted) > 0 {
		l.dependencies, err = o.addDependencies(dependencies{}, m.After, m.AfterAccepted)
	}
	return l, err
}

// childOf returns the lineage of a child of parent: one deeper, in the parent's workflow unless the sender named
// another, and under the lowest limit that the senders of the chain have set.
func (l lineage) childOf(parent *store.Record) lineage {
	l.parent, l.depth = parent.ID, parent.Depth+1
	l.workflow = cmp.Or(l.workflow, parent.Workflow)
	if parent.MaxDepth != 0 && (l.maxDepth == 0 || parent.MaxDepth < l.maxDepth) {
		l.maxDepth = parent.MaxDepth
	}
	return l
}

// maxDepthFor returns the limit that the sender of d sets for the length of the chain of handoffs, or zero if only the
// server's limit holds. The limit also holds for all later handoffs of the chain, which cannot raise it.
func (o *op) maxDepthFor(d *draft.Draft) int {
	return int(min(d.Handoff.Metadata.Limits[schemas.LimitChain], float64(o.Limits.Depth)))
}

// checkWorkflowName refuses names such as wf_12 for a new workflow. The server makes these names from ids, so a sender
// that took such a name in advance would own the workflow of another sender's handoff. The name may be used once its
// workflow exists.
func (o *op) checkWorkflowName(name schemas.Workflow) error {
	number, numbered := strings.CutPrefix(string(name), "wf_")
	if !numbered || number == "" || strings.Trim(number, "0123456789") != "" {
		return nil
	}
	wf, err := o.Workflow(name)
	if err != nil || wf != nil {
		return err
	}
	return schemas.Errorf(schemas.NotFound, "there is no workflow %s", name).WithField("workflow").
		WithHint("Give a new workflow a name with a letter, or leave it out. Nothing was sent.")
}

// checkChainLength refuses a handoff that would make its chain of parents longer than the limit of the service, or longer
// than a limit that a sender in the chain has set. The error is limit, and names the senders of the chain.
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
		About(parent.ID, parent.Status, 0).WithField("parent").
		WithHint("Finish it yourself, send it to human, or start a new chain with parent none. Nothing was sent.")
}

// findParent returns the handoff that a new one continues, nil if there is none: the handoff that the sender names, else
// the latest handoff that the sender holds over this connection. A parent that the sender did not name must not have
// ended, and must be in the workflow that the sender names, if the sender names one.
func (o *op) findParent(d *draft.Draft) (*store.Record, error) {
	switch d.Parent {
	case "none":
		return nil, nil
	case "":
		held, err := o.latestHeldHandoff()
		if held != nil && d.Workflow != "" && d.Workflow != held.Workflow {
			return nil, err // another workflow was named
		}
		return held, err
	}
	r, err := o.Find(d.Parent)
	if err != nil {
		return nil, schemas.AsError(err).WithField("parent").
			WithHint("Name an existing handoff, or none to start anew. Nothing was sent.")
	}
	return r, nil
}

// latestHeldHandoff returns the handoff that this agent claimed over this connection and last reported on, or nil. It looks at
// the newest 64 handoffs that the agent holds. It returns nil for a call without a connection, because two of these
// calls share only the name of an agent; on the command line it looks all the same, because one shell belongs to one
// agent. It returns nil for a person, who holds many handoffs and names the parent.
func (o *op) latestHeldHandoff() (latest *store.Record, err error) {
	if o.By.Conn == "" && o.By.Via != schemas.ViaCLI {
		return nil, nil // calls without a connection share only a name
	}
	if o.By.Agent == schemas.Human {
		return nil, nil // a person holds many handoffs, and names the parent
	}
	for r, err := range o.HeldAmong(o.By.Agent, reading.AtMost(lookback, o.NewestFirst(store.IndexByHolder(o.By.Agent), 0))) {
		if err != nil {
			return nil, err
		}
		if r.Conn == o.By.Conn && (latest == nil || r.Touched > latest.Touched) {
			latest = r
		}
	}
	return latest, nil
}

// storeContents writes content that handoffs refer to. It writes in the transaction that creates the handoff, so the
// store has both or neither. The key of the content is its digest, so equal content is stored once, even if several
// handoffs refer to it.
func (o *op) storeContents(contents [][]byte) error {
	for _, b := range contents {
		if err := o.PutReference(b); err != nil {
			return err
		}
	}
	return nil
}

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

// create makes a record of a draft, together with its workflow, its words and its event. All that the caller may be
// refused for was checked before, but for the limits of the workflow, see [op.countInWorkflow]: that comes before anything is
// written. The record is pending; its mailbox is that of the draft, or none while it may not be claimed before a time.
// Ids count up in each workspace, so they tell which handoff is older.
func (o *op) create(d *draft.Draft, line lineage) (*store.Record, error) {
	wf, err := o.countInWorkflow(d, line)
	if err != nil {
		return nil, err
	}
	id, err := o.NewHandoffID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, line)
	if err := cmp.Or(o.joinWorkflow(r, wf), o.PutWords(id, d.Words), o.keepContents(d.Kept)); err != nil {
		return nil, err
	}
	r.Body, o.routed = o.NextEvent(), nil // last: what came before may have left events
	if err := o.Commit(&operation.Happening{Action: life.Send, Now: r, Other: r.Parent, Content: d.Content}); err != nil {
		return nil, err
	}
	if r.ReviewOf != 0 {
		err = o.noteReview(r)
	}
	return r, err
}

// countInWorkflow gives the row of a draft's workflow with the draft counted in it; [op.joinWorkflow] keeps it. The first send of
// a workflow sets its limits, later ones lower them. The error is that of [op.checkBudget].
func (o *op) countInWorkflow(d *draft.Draft, line lineage) (wf store.Workflow, err error) {
	kept, err := o.Workflow(line.workflow) // nil for a new one
	if err != nil {
		return wf, err
	}
	wf = schemas.OrZero(kept)
	used, err := reading.LimitUse(o.View, line.workflow, wf, o.Now)
	if err != nil {
		return wf, err
	}
	round, with := o.round(d, line), maps.Clone(used)
	with[schemas.LimitHandoffs]++
	with[schemas.LimitTokens] += float64(d.Tokens)
	with[schemas.LimitRounds] = round
	if len(wf.Limits)+len(d.Limits) > 0 {
		if err := o.checkBudget(d, line.workflow, &wf, kept == nil, used, with); err != nil {
			return wf, err
		}
	}
	with[schemas.LimitRounds] = max(round, used[schemas.LimitRounds])
	delete(with, schemas.LimitMinutes) // nobody has to count it
	wf.Used = with
	return wf, nil
}

// round is how often work comes to the recipient of a draft in its chain, this time included: each handoff before it
// counts that was sent to the same address, or held last by that agent. Of a retry that is what it retries, else the
// parent. A person who decides does no round. One that cannot be read ends the count.
func (o *op) round(d *draft.Draft, line lineage) float64 {
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

// newRecord is what a draft says of itself, in its place. The attempts that were made before are taken over, but at
// least one is left.
func (o *op) newRecord(id schemas.ID, d *draft.Draft, line lineage) *store.Record {
	h := &d.Handoff
	if to, err := schemas.ParseAddress("to", string(d.To)); err == nil { // an older record may spell it otherwise
		d.To = to
	}
	r := &store.Record{
		ID: id, Workflow: line.workflow, From: h.Source.Agent, Rule: h.ByRule().String(), Step: h.Metadata.Step != "", To: d.To, Type: h.Type, Title: h.Title, Tags: h.Tags,
		Priority: h.Metadata.Priority, Status: schemas.Pending, Box: d.To,
		Created: store.At(o.Now), Deadline: store.At(d.Deadline),
		Parent: line.parent, After: line.after, Freed: line.freed, AfterAccepted: line.accepted,
		RetryOf: line.retryOf, Depth: line.depth, MaxDepth: line.maxDepth,
		Attempt: min(d.Attempt, h.Metadata.MaxAttempts-1), MaxAttempts: h.Metadata.MaxAttempts,
		Estimate: int(d.Estimate.Minutes()), Promises: contract.Asks(h.Expectations),
		Excluded: d.Excluded, Digest: d.Digest, SentWith: d.Token, Base: d.Base,
	}
	setTerms(r, h.Metadata.Terms)
	rework := schemas.OrZero(h.Rework)
	r.ReworkOf, r.Round = rework.Of, rework.Round
	r.Reviewer, r.ReviewOf = schemas.OrZero(h.Expectations).Review, schemas.OrZero(h.Review).Of
	r.OnFailure, r.OriginID = schemas.OrZero(h.Rollback).OnFailure, schemas.OrZero(h.Origin).HandoffID
	if d.NotBefore.After(o.Now) {
		r.Box, r.NotBefore = "", store.At(d.NotBefore)
	}
	return r
}

// setTerms keeps on a record what the rules ask of the terms. What more terms leave open stays as it was.
func setTerms(r *store.Record, more schemas.Terms) {
	r.NeedsApproval = r.NeedsApproval || more.NeedsApproval
	r.NoTakers = cmp.Or(more.NoTakers, r.NoTakers)
}

// joinWorkflow names the workflow of a root after it, as wf_12, unless the sender gave a name. Whoever sends the first
// handoff of a workflow owns it, and may answer, amend, cancel, retry and return all others. The owner never changes.
// It runs in the transaction of the send, so two sends cannot both become the first.
func (o *op) joinWorkflow(r *store.Record, wf store.Workflow) error {
	r.Workflow = cmp.Or(r.Workflow, schemas.Workflow(fmt.Sprintf("wf_%d", r.ID)))
	wf.Owner = cmp.Or(wf.Owner, r.From)
	return o.PutWorkflow(r.Workflow, wf)
}

// lineage is where a new handoff stands in its workflow. It is found in the transaction that creates the handoff, and
// never changes afterwards, but for what the handoff waits for.
//
// A workflow is a forest: a handoff has one parent at most, which was sent before it, so there are no circles and a
// chain ends at a root. Depth counts along the parents. A retry stands beside what it retries, under the same parent
// and at the same depth; a rollback, an escalation and a return are children, so a chain of failures ends at the limit
// as any other.
type lineage struct {
	workflow schemas.Workflow // "" for a new one
	parent   schemas.ID
	retryOf  schemas.ID
	depth    int // in the chain of parents, 1 for the first
	maxDepth int // of that chain, 0 for the server's limit
	dependencies
}

// lineage finds where a draft belongs: its parent, workflow and depth, and the handoffs that it waits for. What is
// completed already is not waited for. The error is not_found for a parent, a workflow or a dependency that does not
// exist; limit for a chain that is too long, with the senders of the chain; conflict for a dependency that ended
// without a completion.
func (o *op) lineage(d *draft.Draft) (l lineage, err error) {
	parent, err := o.parent(d)
	if err != nil {
		return l, err
	}
	if err := o.checkWorkflowName(d.Workflow); err != nil {
		return l, err
	}
	l = lineage{workflow: d.Workflow, depth: 1, maxDepth: o.maxDepth(d)}
	if parent != nil {
		l = l.childOf(parent)
		// A person is the way out of a chain that is too long, but for rules, which would go on so for ever.
		if err := o.checkDepth(l, parent); err != nil && (d.To != schemas.Address(schemas.Human) || o.By.Via == schemas.ViaClock) {
			return l, err
		}
	}
	if m := d.Handoff.Metadata; len(m.After)+len(m.AfterAccepted) > 0 {
		l.dependencies, err = o.addDependencies(dependencies{}, m.After, m.AfterAccepted)
	}
	return l, err
}

// childOf is the lineage of a child of parent: one deeper, in its workflow unless the sender named another, and under the
// strictest limit of the chain.
func (l lineage) childOf(parent *store.Record) lineage {
	l.parent, l.depth = parent.ID, parent.Depth+1
	l.workflow = cmp.Or(l.workflow, parent.Workflow)
	if parent.MaxDepth != 0 && (l.maxDepth == 0 || parent.MaxDepth < l.maxDepth) {
		l.maxDepth = parent.MaxDepth
	}
	return l
}

// maxDepth is the limit that this sender set for the chain, zero for the server's. It holds for all that come after it
// in the chain, and cannot be raised by them.
func (o *op) maxDepth(d *draft.Draft) int {
	return int(min(d.Handoff.Metadata.Limits[schemas.LimitChain], float64(o.Limits.Depth)))
}

// checkWorkflowName keeps the names that roots get by themselves, such as wf_12, for them: who took one before would own
// the workflow of another's root. Such a name may be used once its workflow exists.
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

// checkDepth refuses a handoff that would make its chain longer than the limit of the service, or than one that a
// sender in the chain set. The error is limit, and names the senders of the chain.
func (o *op) checkDepth(l lineage, parent *store.Record) error {
	limit := o.Limits.Depth
	if l.maxDepth != 0 {
		limit = min(limit, l.maxDepth)
	}
	if l.depth <= limit {
		return nil
	}
	chain := []string{string(o.By.Agent)} // and before, root first, who sent each handoff of the chain
	for before := range reading.Chain(o.View, parent.ID, reading.Parent) {
		chain = append([]string{string(before.From)}, chain...)
	}
	// The text is that of MaxHandoffsExceededError in the kernl handoffs design.
	return schemas.Errorf(schemas.Limit, "Max handoffs (%d) exceeded. Chain: %s", limit, strings.Join(chain, " → ")).
		About(parent.ID, parent.Status, 0).WithField("parent").
		WithHint("Finish it yourself, send it to human, or start a new chain with parent none. Nothing was sent.")
}

// parent is the handoff that a new one continues, nil for none: the one that the sender names, else the latest that it
// holds over this connection. Work that ended, and work of another workflow than the sender names, is not continued
// unasked.
func (o *op) parent(d *draft.Draft) (*store.Record, error) {
	switch d.Parent {
	case "none":
		return nil, nil
	case "":
		held, err := o.latestHeld()
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

// latestHeld is the handoff of those that this agent claimed over this connection that was last heard of, nil for none.
// It looks at the newest 64 that the agent holds. Calls without a connection have nothing in common but a name, so they
// continue nothing unasked, but on the command line, where the shell is that of one agent. A person continues nothing
// unasked.
func (o *op) latestHeld() (latest *store.Record, err error) {
	if o.By.Conn == "" && o.By.Via != schemas.ViaCLI {
		return nil, nil // calls without a connection have nothing in common but a name
	}
	if o.By.Agent == schemas.Human {
		return nil, nil // a person holds many things, and says what belongs together
	}
	for r, err := range o.Holding(o.By.Agent, reading.AtMost(lookback, o.Newest(store.HeldBy(o.By.Agent), 0))) {
		if err != nil {
			return nil, err
		}
		if r.Conn == o.By.Conn && (latest == nil || r.Touched > latest.Touched) {
			latest = r
		}
	}
	return latest, nil
}

// keepContents writes content that handoffs refer to. It is in the transaction of the handoff, so both are there or neither.
// Content is found by its digest, so the same text is written once, whatever handoffs refer to it.
func (o *op) keepContents(contents [][]byte) error {
	for _, b := range contents {
		if err := o.PutReference(b); err != nil {
			return err
		}
	}
	return nil
}

package mailbox

import (
	"cmp"
	"fmt"

	"handoff/mailbox/contract"
	"handoff/mailbox/draft"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/store"
)

// create makes a record of a draft, together with its workflow, its words and its event. All that the caller may be
// refused for was checked before, but for the limits of the workflow, see [op.afford]: that comes before anything is
// written. The record is pending; its mailbox is that of the draft, or none while it may not be claimed before a time.
// Ids count up in each workspace, so they tell which handoff is older.
func (o *op) create(d *draft.Draft, line lineage) (*store.Record, error) {
	wf, err := o.afford(d, line)
	if err != nil {
		return nil, err
	}
	id, err := o.NewHandoffID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, line)
	if err := cmp.Or(o.joinWorkflow(r, wf), o.PutWords(id, d.Words), o.keep(d.Kept)); err != nil {
		return nil, err
	}
	r.Body, o.routed = o.NextEvent(), nil // last: what came before may have left events
	if err := o.Commit(&operation.Happening{Action: life.Send, Now: r, Other: r.Parent, Said: d.Content}); err != nil {
		return nil, err
	}
	return r, o.noteReview(r)
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
	r.Reviewer, r.Reviews = schemas.OrZero(h.Expectations).Review, schemas.OrZero(h.Review).Of
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

package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// create makes a record of a draft, together with its workflow, its words and its event. All that the caller may be
// refused for was checked before: here only the store can fail. The record is pending; its mailbox is that of the
// draft, or none while it may not be claimed before a time.
func (o *op) create(d *draft, line lineage) (*store.Record, error) {
	id, err := o.tx.NewID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, line)
	if err := o.joinWorkflow(r); err != nil {
		return nil, err
	}
	if err := o.tx.PutWords(id, d.words); err != nil {
		return nil, err
	}
	if r.Body, err = o.nextEvent(); err != nil { // last: what came before may have left events
		return nil, err
	}
	return r, o.commitSaying(happening{action: life.Send, now: r, other: r.Parent}, d.content)
}

// newRecord is what a draft says of itself, in its place.
func (o *op) newRecord(id schemas.ID, d *draft, line lineage) *store.Record {
	h := &d.handoff
	r := &store.Record{
		ID: id, Workflow: line.workflow, From: h.Source.Agent, To: d.to, Type: h.Type, Title: h.Title, Tags: h.Tags,
		Priority: h.Metadata.Priority, Status: schemas.Pending, Box: d.to,
		Created: store.At(o.now), Deadline: store.At(d.deadline),
		Parent: line.parent, After: line.after, RetryOf: line.retryOf, Depth: line.depth, MaxDepth: line.maxDepth,
		Attempt: min(d.attempt, h.Metadata.MaxAttempts-1), MaxAttempts: h.Metadata.MaxAttempts,
		Estimate: int(d.estimate.Minutes()), NeedsApproval: h.Metadata.NeedsApproval, Promises: d.promises,
		Excluded: d.excluded, Digest: d.digest, SentWith: d.token,
	}
	if h.Rollback != nil {
		r.OnFailure = h.Rollback.OnFailure
	}
	if h.Origin != nil {
		r.OriginID = h.Origin.HandoffID
	}
	if d.notBefore.After(o.now) {
		r.Box, r.NotBefore = "", store.At(d.notBefore)
	}
	return r
}

// joinWorkflow names the workflow of a root after it, as wf_12, unless the sender gave a name. Whoever sends the first
// handoff of a workflow owns it, and may answer, amend, cancel, retry and return all others.
func (o *op) joinWorkflow(r *store.Record) error {
	if r.Workflow == "" {
		r.Workflow = schemas.Workflow(fmt.Sprintf("wf_%d", r.ID))
	}
	wf, err := o.Workflow(r.Workflow)
	if err != nil || wf != nil {
		return err
	}
	return o.tx.PutWorkflow(r.Workflow, store.Workflow{Owner: r.From})
}

func blockedBy(r *store.Record) (blocked []string) {
	if r.NeedsApproval {
		blocked = append(blocked, "approval")
	}
	for _, id := range r.After {
		blocked = append(blocked, id.String())
	}
	return blocked
}

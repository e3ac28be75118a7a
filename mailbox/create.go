package mailbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"handoff/mailbox/content"
	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// create makes a record of a draft, together with its workflow, its words and its event. All that the caller may be
// refused for was checked before, but for the limits of the workflow, see [op.afford]: that comes before anything is
// written. The record is pending; its mailbox is that of the draft, or none while it may not be claimed before a time.
// Ids count up in each workspace, so they tell which handoff is older.
func (o *op) create(d *draft, line lineage) (*store.Record, error) {
	wf, err := o.afford(d, line)
	if err != nil {
		return nil, err
	}
	id, err := o.tx.NewID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, line)
	if err := cmp.Or(o.joinWorkflow(r, wf), o.tx.PutWords(id, d.words), o.keep(d.kept)); err != nil {
		return nil, err
	}
	r.Body, o.routed = o.next(), nil // last: what came before may have left events
	if err := o.commit(happening{action: life.Send, now: r, other: r.Parent, said: d.content}); err != nil {
		return nil, err
	}
	return r, o.noteReview(r)
}

// newRecord is what a draft says of itself, in its place. The attempts that were made before are taken over, but at
// least one is left.
func (o *op) newRecord(id schemas.ID, d *draft, line lineage) *store.Record {
	h := &d.handoff
	r := &store.Record{
		ID: id, Workflow: line.workflow, From: h.Source.Agent, To: d.to, Type: h.Type, Title: h.Title, Tags: h.Tags,
		Priority: h.Metadata.Priority, Status: schemas.Pending, Box: d.to,
		Created: store.At(o.now), Deadline: store.At(d.deadline),
		Parent: line.parent, After: line.after, Freed: line.freed, AfterAccepted: line.accepted,
		RetryOf: line.retryOf, Depth: line.depth, MaxDepth: line.maxDepth,
		Attempt: min(d.attempt, h.Metadata.MaxAttempts-1), MaxAttempts: h.Metadata.MaxAttempts,
		Estimate: int(d.estimate.Minutes()), NeedsApproval: h.Metadata.NeedsApproval, NoTakers: h.Metadata.NoTakers, Promises: contract.Asks(h.Expectations),
		Excluded: d.excluded, Digest: d.digest, SentWith: d.token,
	}
	if h.Rollback != nil {
		r.OnFailure = h.Rollback.OnFailure
	}
	if h.Rework != nil {
		r.ReworkOf, r.Round = h.Rework.Of, h.Rework.Round
	}
	r.Reviewer = schemas.OrZero(h.Expectations).Review
	if h.Review != nil {
		r.Reviews = h.Review.Of
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
// handoff of a workflow owns it, and may answer, amend, cancel, retry and return all others. The owner never changes.
// It runs in the transaction of the send, so two sends cannot both become the first.
func (o *op) joinWorkflow(r *store.Record, wf store.Workflow) error {
	if r.Workflow == "" {
		r.Workflow = schemas.Workflow(fmt.Sprintf("wf_%d", r.ID))
	}
	wf.Owner = cmp.Or(wf.Owner, r.From)
	return o.tx.PutWorkflow(r.Workflow, wf)
}

// encode makes what is kept of a draft: its content, the words by which it is found, and the digest by which the same
// content is known again. The digest leaves out times, which differ between repeats where the sender gave a duration,
// the session of the sender, and what git and the files were. It runs before the transaction where that is possible,
// because there is one writer.
func (s *Service) encode(d *draft) error {
	said, err := s.content("", d.handoff)
	if err != nil {
		return err
	}
	h := d.handoff
	d.content, d.words, d.tokens = said, reading.SentWords(&h), content.Tokens(string(said.Bytes))
	h.Metadata.Deadline, h.Metadata.NotBefore = nil, nil // relative times differ between repeats
	h.Source.AgentID, h.Tree = "", nil
	if d.located {
		h.Context = d.said
	}
	if h.Context != nil {
		c := *h.Context
		c.Files = schemas.Map(c.Files, func(f schemas.File) schemas.File { f.Digest = ""; return f })
		h.Context = &c
	}
	d.digest, err = digestOf(h)
	return err
}

// digestOf tells equal content from different content; it does not prove anything. It is the first 12 bytes of a
// SHA-256 in base64, which is short enough for each record. Maps are encoded by key, so their order does not matter.
func digestOf(v any) (string, error) {
	b, err := json.Marshal(v)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12]), err
}

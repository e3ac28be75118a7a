package mailbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// Send puts a handoff into a mailbox, or leaves a notice for type message.
func (s *Service) Send(ctx context.Context, by schemas.Caller, in schemas.SendIn) (schemas.SendOut, error) {
	d, err := s.draft(by, in, s.Now())
	if err != nil {
		return schemas.SendOut{}, err
	}
	out, err := mutate(ctx, s, by, func(o *op) (schemas.SendOut, error) {
		deliver := o.send
		if d.handoff.Type == schemas.TypeMessage {
			deliver = o.message
		}
		out, err := deliver(&d)
		if err == nil && in.DryRun {
			out.HandoffID, out.NoticeID, out.Status = 0, 0, "dry_run"
			return out, errDryRun{out}
		}
		return out, err
	})
	if dry, ok := errors.AsType[errDryRun](err); ok {
		return dry.out, nil
	}
	if err == nil && out.HandoffID != 0 && out.Position == 0 {
		out.Position = s.position(ctx, out.HandoffID)
	}
	return out, err
}

// errDryRun undoes a send and carries what it would have answered.
type errDryRun struct{ out schemas.SendOut }

func (errDryRun) Error() string { return "dry run" }

func isDryRun(err error) bool {
	_, ok := errors.AsType[errDryRun](err)
	return ok
}

// send gives a draft its place: recipient, parent, workflow and order, all in this transaction.
func (o *op) send(d *draft) (out schemas.SendOut, err error) {
	if again, err := o.sentBefore(d); again != nil || err != nil {
		return value(again), err
	}
	if err := o.checkPending(); err != nil {
		return out, err
	}
	warnings, err := o.checkRecipient(d)
	if err != nil {
		return out, err
	}
	warnings = append(warnings, d.warnings...)
	place, err := o.place(d)
	if err != nil {
		return out, err
	}
	if same, err := o.sameContent(d); err != nil {
		return out, err
	} else if same != 0 && d.key == "" {
		warnings = append(warnings, fmt.Sprintf("same as %s, sent within the last 10 minutes", same))
	}
	r, err := o.create(d, place)
	if err != nil {
		return out, err
	}
	out = schemas.SendOut{
		HandoffID: r.ID, Status: string(r.Status), To: r.To, Workflow: r.Workflow, Parent: r.Parent,
		BlockedBy: blockedBy(r), Warnings: warnings,
	}
	if m, err := o.Mailbox(r.Box); err != nil {
		return out, err
	} else if m.Pending == 1 && !r.Blocked() {
		out.Position = 1 // the usual case needs no counting afterwards
	}
	if _, directed := r.To.Directed(); !directed {
		if out.Routed, err = o.routed(d); err != nil {
			return out, err
		}
	}
	return out, o.rememberKey(d, out)
}

// place is where a new handoff stands in its workflow.
type place struct {
	workflow schemas.Workflow // "" for a new one
	parent   schemas.ID
	retryOf  schemas.ID
	depth    int
	maxDepth int
}

// create writes a new record with its content, words, workflow and event.
func (o *op) create(d *draft, p place) (*store.Record, error) {
	id, err := o.tx.NewID()
	if err != nil {
		return nil, err
	}
	r := o.newRecord(id, d, p)
	if r.After, err = o.dependencies(d); err != nil {
		return nil, err
	}
	if err := o.joinWorkflow(r); err != nil {
		return nil, err
	}
	if err := o.tx.PutWords(id, d.words); err != nil {
		return nil, err
	}
	if r.Body, err = o.nextEvent(); err != nil { // last: what came before may have left events
		return nil, err
	}
	return r, o.commit(happening{action: life.Send, now: r, said: d.content, other: p.parent})
}

// newRecord is what a draft says of itself, in its place.
func (o *op) newRecord(id schemas.ID, d *draft, p place) *store.Record {
	h := &d.handoff
	r := &store.Record{
		ID: id, Workflow: p.workflow, From: h.Source.Agent, To: d.to, Type: h.Type, Title: h.Title, Tags: h.Tags,
		Priority: h.Metadata.Priority, Status: schemas.Pending, Box: d.to,
		Created: store.At(o.now), Deadline: store.At(d.deadline),
		Parent: p.parent, RetryOf: p.retryOf, Depth: p.depth, MaxDepth: p.maxDepth,
		Attempt: min(d.attempt, h.Metadata.MaxAttempts-1), MaxAttempts: h.Metadata.MaxAttempts, Estimate: int(d.estimate.Minutes()),
		NeedsApproval: h.Metadata.NeedsApproval, Promises: promises(h.Expectations),
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

func promises(e *schemas.Expectations) bool {
	return e != nil && (len(contract.Criteria(e)) > 0 || len(e.OutputSchema) > 0)
}

// joinWorkflow names the workflow of a root after it. Who sends the first handoff owns the workflow.
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

// dependencies resolves what a handoff waits for; what is completed already is not waited for.
func (o *op) dependencies(d *draft) ([]schemas.ID, error) {
	var after []schemas.ID
	for i, id := range d.after {
		field := fmt.Sprintf("options.after[%d]", i)
		dep, err := o.find(id)
		if err != nil {
			return nil, schemas.AsError(err).WithField(field)
		}
		switch {
		case dep.Status == schemas.Completed:
		case dep.Status.Ended():
			return nil, schemas.Errorf(schemas.Conflict, "%s is %s and will not be completed", dep.ID, dep.Status).
				About(dep.ID, dep.Status, dep.Successor).WithField(field).WithHint("Name a handoff that is open, or leave it out. Nothing was sent.")
		default:
			after = append(after, dep.ID)
		}
	}
	return after, nil
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

// message leaves a notice: mail that is read, not claimed.
func (o *op) message(d *draft) (out schemas.SendOut, err error) {
	if again, err := o.sentBefore(d); again != nil || err != nil {
		return value(again), err
	}
	to, directed := d.to.Directed()
	if !directed {
		return out, schemas.Invalidf("to", "a message goes to one agent, not to %s", d.to).
			WithHint("Name an agent, or send work with another type. list_agents shows who is here.")
	}
	warnings, err := o.checkRecipient(d)
	if err != nil {
		return out, err
	}
	n := schemas.Notice{
		To: to, From: o.by.Agent, At: o.now, Kind: schemas.TypeMessage,
		Title: "Handoff: " + d.handoff.Title, Text: d.handoff.Task, Body: d.content.Bytes,
	}
	if parent, err := o.parent(d); err != nil {
		return out, err
	} else if parent != nil {
		n.About = parent.ID
	}
	id, err := o.tx.Notify(n)
	if err != nil {
		return out, err
	}
	o.boxes = append(o.boxes, d.to)
	if err := o.record(life.Message, d.content); err != nil {
		return out, err
	}
	out = schemas.SendOut{NoticeID: id, Status: "delivered", To: d.to, Warnings: warnings}
	return out, o.rememberKey(d, out)
}

// position counts how many come before a handoff in its mailbox, plus one; zero when it does not wait or
// more than a hundred do.
func (s *Service) position(ctx context.Context, id schemas.ID) (place int) {
	err := s.Store.View(ctx, func(v *store.View) error {
		place = 0
		r, err := v.Record(id)
		if err != nil || r == nil || r.Box == "" {
			return err
		}
		n := 0
		for other, err := range v.Queue(r.Box) {
			if err != nil || n == 100 {
				return err
			}
			n++
			if other == id {
				place = n
				return nil
			}
		}
		return nil
	})
	if err == nil {
		return place
	}
	if ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "a handoff was sent and not counted", slog.Any("error", err))
	}
	return 0
}

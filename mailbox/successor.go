package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// rollback gives the work back, with the failure, the questions and the partial result: to the agent that the happening
// names, else as the rollback rule of the handoff says. It is a child of the failed handoff.
func (o *op) rollback(h *happening) (*store.Record, error) {
	r, to := h.now, cmp.Or(h.to, reading.TakesBack(h.now))
	return o.child(life.Rollback, h, schemas.Address(to), schemas.Handoff{
		Title: schemas.Clip("Fix: "+r.Title, o.Limits.Title),
		Task:  schemas.Clip(fmt.Sprintf("%s (%s) was not done: %s", r.ID, r.Title, h.why.text()), o.Limits.Task),
		Kind:  "rollback",
	})
}

// escalate asks a person to go on, with a handoff to human that is a child of the one that ended.
func (o *op) escalate(h *happening) (*store.Record, error) {
	r := h.now
	task := fmt.Sprintf("Handoff failed: %s. %s (%s) needs a decision.", h.why.text(), r.ID, r.Title)
	return o.child(life.Escalate, h, schemas.Address(schemas.Human), schemas.Handoff{
		Title: schemas.Clip("Decide: "+r.Title, o.Limits.Title),
		Task:  schemas.Clip(task, o.Limits.Task),
		Kind:  "escalation",
	})
}

// child creates a handoff that goes on after a failure, with what is known of why. Where the chain is too long for it,
// a person is told instead and the child is nil: a failure is never refused for that, since somebody has to hear of it.
func (o *op) child(a life.Action, h *happening, to schemas.Address, next schemas.Handoff) (*store.Record, error) {
	r := h.now
	if err := o.checkDepth(lineage{}.under(r), r); err != nil {
		return nil, o.notify(schemas.Human, noticeOf(noticeTooDeep, r, err.Error()+". "+h.why.text()))
	}
	if err := o.explain(r, &next, h.why); err != nil {
		return nil, err
	}
	return o.succeed(a, r, &draft{handoff: next, to: to}, lineage{}.under(r))
}

// sendBack gives returned work to the agent that did it, with what is not good enough. It is a child of the returned
// handoff, charged to the token of the caller, and needs no approval of its own.
func (o *op) sendBack(h *happening) (*store.Record, error) {
	r := h.now
	d, err := o.draftAgain(r, h.why)
	if err != nil {
		return nil, err
	}
	d.to, d.token, d.handoff.Kind = schemas.Address(r.Holder), o.by.Token, "return"
	d.handoff.Source = schemas.Source{Agent: o.by.Agent, AgentID: o.by.AgentID}
	d.handoff.Metadata.NeedsApproval = false // the work was approved; this is the rest of it
	return o.succeed(life.Redo, r, d, lineage{}.under(r))
}

// succeed creates a handoff that takes the place of r in the work, and names it on r. Two events come of it: the new
// handoff is sent, and then r is noted as retried, tried again, rolled back, escalated or given back, as a says. What
// the draft leaves open it has from r. It is never refused for what a sender would be refused for, such as a full
// mailbox, since what ended r may be the clock.
//
// A record names one successor, the latest. Errors about an ended handoff name it, so an agent with an old id finds the
// way.
func (o *op) succeed(a life.Action, r *store.Record, d *draft, line lineage) (*store.Record, error) {
	o.inherit(d, r)
	if err := o.encode(d); err != nil {
		return nil, err
	}
	successor, err := o.create(d, line)
	if err != nil {
		return nil, err
	}
	return successor, o.change(happening{action: a, other: successor.ID}, r, func(now *store.Record) {
		if now.Successor = successor.ID; a == life.Rollback {
			now.Rollback = successor.ID
		}
	})
}

// inherit fills what a handoff made by the rules has in common with the one it follows: tags, priority and number of
// attempts, where the draft says nothing else. It comes from whoever acts, so from system where the clock does.
func (o *op) inherit(d *draft, r *store.Record) {
	h := &d.handoff
	h.Schema, h.Version = schemas.Version, max(h.Version, 1)
	if h.Source.Agent == "" {
		h.Source = schemas.Source{Agent: o.by.Agent, AgentID: o.by.AgentID}
	}
	if d.to != r.To {
		h.Target.Reason = "" // it spoke of another
	}
	h.Target = compose.Target(d.to, h.Target.Reason)
	h.Type = cmp.Or(h.Type, schemas.TypeHandoff)
	if len(h.Tags) == 0 {
		h.Tags = r.Tags
	}
	h.Metadata.Priority = cmp.Or(h.Metadata.Priority, r.Priority)
	h.Metadata.MaxAttempts = cmp.Or(h.Metadata.MaxAttempts, r.MaxAttempts)
}

// sendAgain sends the same work again, beside r in its chain, with the context, partial progress and checkpoint of
// before and with what is known of why r ended. In a pool the agent that held r last is passed over, if another
// qualifies; those that declined it stay excluded. The token given is charged with it as a pending handoff, "" for
// none.
//
// Change may change the draft; nil changes nothing.
func (o *op) sendAgain(a life.Action, r *store.Record, token string, change func(*draft) error) (*store.Record, error) {
	why, err := o.lossOf(r)
	if err != nil {
		return nil, err
	}
	d, err := o.draftAgain(r, why)
	if err != nil {
		return nil, err
	}
	d.to, d.token = r.To, token
	others, err := o.candidatesLeft(r, r.Holder)
	if err != nil {
		return nil, err
	}
	if d.excluded = slices.Clone(r.Excluded); others && r.Holder != "" {
		d.excluded = append(d.excluded, r.Holder)
	}
	if change != nil {
		if err := change(d); err != nil {
			return nil, err
		}
	}
	beside := lineage{workflow: r.Workflow, parent: r.Parent, depth: r.Depth, maxDepth: r.MaxDepth, retryOf: r.ID}
	return o.succeed(a, r, d, beside)
}

// draftAgain drafts the same work with why it is done again. A deadline and the end of a timeout that are yet to come
// stay; one that is over goes, and a timeout then counts anew. A time before which nobody may begin and handoffs to wait
// for belong to the first attempt, and go. What was amended since the send is part of the work; approval that was needed
// once is needed again.
func (o *op) draftAgain(r *store.Record, why lost) (*draft, error) {
	d := &draft{attempt: attemptsOf(r), estimate: time.Duration(r.Estimate) * time.Minute}
	if err := o.Saying(r.ID, r.Body, &d.handoff); err != nil {
		return nil, err
	}
	if err := o.explain(r, &d.handoff, why.again()); err != nil {
		return nil, err
	}
	m := &d.handoff.Metadata
	m.NotBefore, m.After = nil, nil
	if d.deadline = r.Deadline.Time(); d.deadline.After(o.now) {
		return d, nil
	}
	if m.Deadline != nil && !m.Deadline.After(o.now) {
		m.Deadline = nil
	}
	timeout, _, err := durations(d.handoff.Expectations)
	d.deadline = deadline(orZero(m.Deadline), o.now, timeout)
	return d, err
}

// attemptsOf is how many attempts a handoff has used up. A claim that was given back, or that ended because the holder
// would not do the work, is none.
func attemptsOf(r *store.Record) int {
	if r.Uncharged || r.Status == schemas.Rejected {
		return max(r.Attempt-1, 0)
	}
	return r.Attempt
}

// lossOf is why a handoff ended badly, as far as anybody said: the failure, or the reason of a time-out, else only the state.
func (o *op) lossOf(r *store.Record) (why lost, err error) {
	if why.Reason = string(r.Status); r.Status == schemas.TimedOut {
		why.Reason = reading.WhyTimedOut(r)
	}
	if r.Result == 0 {
		return why, nil
	}
	why.Failure = &schemas.Failure{}
	return why, o.Saying(r.ID, r.Result, why.Failure)
}

// failuresKept is how many earlier failures a handoff tells of.
const failuresKept = 10

// explain puts the failure of r, and what was achieved, into the context of the handoff that goes on: the failure
// behind earlier ones, of which it keeps ten; what blocked it as known issues; questions; and the last checkpoint, or
// partial progress where there is none. Where that makes the handoff too large it says only where to read it: a handoff
// that goes on is never refused, since what ended the one before it may be the clock.
//
// The handoff is changed, but none of the lists that it shares with the content of r: they are copied before they grow.
func (o *op) explain(r *store.Record, h *schemas.Handoff, why lost) error {
	before := orZero(h.Context)
	c, failed := before, fmt.Sprintf("%s %s: ", r.ID, r.Status)
	c.PreviousFailures = append(slices.Clone(before.PreviousFailures), failed+why.text())
	c.PreviousFailures = c.PreviousFailures[max(len(c.PreviousFailures)-failuresKept, 0):]
	if f := why.Failure; f != nil {
		for _, b := range f.Failure.Blockers {
			c.KnownIssues = append(c.KnownIssues, b.Description)
		}
		c.PartialProgress = f.Failure.PartialProgress
		if f.RollbackRequest != nil {
			c.Questions = f.RollbackRequest.Questions
		}
	}
	checkpoint, err := reading.Checkpoint(o.View, r)
	if err != nil {
		return err
	}
	if c.Checkpoint = checkpoint; checkpoint != nil && checkpoint.PartialProgress != nil {
		c.PartialProgress = nil // it is told once
	}
	h.Context = &c
	if b, err := json.Marshal(h); err != nil || len(b) <= o.Limits.Handoff-headroom {
		return err
	}
	before.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s The rest is in %s.",
		r.ID, r.Status, schemas.Clip(why.text(), 200), r.ID))
	h.Context = &before
	return nil
}

// headroom is left in a handoff made by the rules for what is filled in later, in bytes.
const headroom = 1 << 10

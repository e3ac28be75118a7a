package mailbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// lost is why a handoff did not end well: what its holder said, or what the clock or a sender says.
type lost struct {
	Failure *schemas.Failure
	Reason  string
}

func (l lost) text() string {
	if l.Failure != nil {
		return l.Failure.Failure.Description
	}
	return l.Reason
}

// whatFollows is how the work goes on after r failed: as its holder asked for, by default with a rollback. A
// retry that nobody is left to make becomes an escalation.
func (o *op) whatFollows(r *store.Record, asked schemas.Then) (schemas.Then, error) {
	if asked != schemas.ThenRetry {
		return cmp.Or(asked, schemas.ThenRollback), nil
	}
	possible, err := o.mayRetry(r)
	if err != nil || possible {
		return schemas.ThenRetry, err
	}
	return schemas.ThenEscalate, nil
}

// follow creates the handoff that goes on after a failure, and says in out what it came to.
func (o *op) follow(r *store.Record, then schemas.Then, to schemas.Agent, why *schemas.Failure, out *schemas.FailOut) error {
	var next *store.Record
	var err error
	switch out.Then = then; then {
	case schemas.ThenRollback:
		next, err = o.rollback(r, to, lost{Failure: why})
	case schemas.ThenRetry:
		next, err = o.sendAgain(life.Rerun, r, r.SentWith)
	case schemas.ThenEscalate:
		next, err = o.escalate(r, lost{Failure: why})
	case schemas.ThenStop:
		return nil
	}
	if err != nil {
		return err
	}
	if next == nil {
		out.Warnings = append(out.Warnings, "the chain is too long to go on by itself: a person was told")
		return nil
	}
	out.RollbackHandoff, out.To = next.ID, next.To
	return nil
}

// mayRetry tells whether attempts are left, and in a pool somebody to make them.
func (o *op) mayRetry(r *store.Record) (bool, error) {
	if r.Attempt >= r.MaxAttempts {
		return false, nil
	}
	if _, directed := r.To.Directed(); directed {
		return true, nil
	}
	return o.candidatesLeft(r, r.Holder)
}

// rollbackTo is who goes on after a failure: the sender, the one named when it was sent, or a member of
// the workflow. Empty means the rule: on_failure, else the sender.
func (o *op) rollbackTo(r *store.Record, to string) (schemas.Agent, error) {
	if to == "" {
		return rollbackRule(r), nil
	}
	if err := mailboxOf("rollback_to", to); err != nil {
		return "", err
	}
	agent := schemas.Agent(to)
	if agent == r.From || agent == r.OnFailure || agent == schemas.Human {
		return agent, nil
	}
	members, err := o.members(r.Workflow)
	if err != nil || slices.Contains(members, agent) {
		return agent, err
	}
	return "", schemas.Errorf(schemas.Invalid, "%s is not part of %s", agent, r.Workflow).WithField("rollback_to").
		WithKnown(texts(members)...).WithHint("Roll back to the sender, the agent of rollback.on_failure or a member of the workflow: %s.", list(members))
}

func rollbackRule(r *store.Record) schemas.Agent {
	switch {
	case r.OnFailure != "":
		return r.OnFailure
	case r.From == schemas.System:
		return schemas.Human
	}
	return r.From
}

// members are the agents that sent or held one of the last thousand handoffs of a workflow.
func (o *op) members(wf schemas.Workflow) (members []schemas.Agent, err error) {
	looked := 0
	for id, err := range o.Newest(store.InWorkflow(wf), 0) {
		if err != nil {
			return nil, err
		}
		r := readable(o.View, id)
		if r == nil {
			continue
		}
		for _, a := range []schemas.Agent{r.From, r.Holder} {
			if a != "" && a != schemas.System && !slices.Contains(members, a) {
				members = append(members, a)
			}
		}
		if looked++; looked == scanned {
			break
		}
	}
	return members, nil
}

// rollback gives the work back, with the failure, the questions and the partial result, and cancels what
// the failed handoff had passed on and nobody has begun.
func (o *op) rollback(r *store.Record, to schemas.Agent, why lost) (*store.Record, error) {
	if to == "" {
		to = rollbackRule(r)
	}
	if err := o.cancelUnclaimed(r); err != nil {
		return nil, err
	}
	h := schemas.Handoff{
		Title: schemas.Clip("Fix: "+r.Title, o.Limits.Title),
		Task:  schemas.Clip(fmt.Sprintf("%s (%s) was not done: %s", r.ID, r.Title, why.text()), o.Limits.Task),
		Kind:  "rollback",
	}
	return o.child(life.Rollback, r, h, schemas.Address(to), why)
}

// escalate asks a person to go on.
func (o *op) escalate(r *store.Record, why lost) (*store.Record, error) {
	h := schemas.Handoff{
		Title: schemas.Clip("Decide: "+r.Title, o.Limits.Title),
		Task:  schemas.Clip(fmt.Sprintf("Handoff failed: %s. %s (%s) needs a decision.", why.text(), r.ID, r.Title), o.Limits.Task),
		Kind:  "escalation",
	}
	return o.child(life.Escalate, r, h, schemas.Address(schemas.Human), why)
}

// child creates a handoff that goes on from r, with what is known of why, and names it as the successor.
// Where the chain is too long for it, a person is told instead and the child is nil.
func (o *op) child(a life.Action, r *store.Record, h schemas.Handoff, to schemas.Address, why lost) (*store.Record, error) {
	p := place{workflow: r.Workflow, parent: r.ID, depth: r.Depth + 1, maxDepth: r.MaxDepth}
	if err := o.checkDepth(p, r); err != nil {
		return nil, o.notify(schemas.Human, noticeOf(noticeTooDeep, r, err.Error()+". "+why.text()))
	}
	if err := o.explain(r, &h, why); err != nil {
		return nil, err
	}
	return o.succeed(a, r, &draft{handoff: h, to: to}, p)
}

// succeed creates a handoff that takes the place of r, and names it there.
func (o *op) succeed(a life.Action, r *store.Record, d *draft, p place) (*store.Record, error) {
	o.inherit(d, r)
	if err := o.encode(d); err != nil {
		return nil, err
	}
	successor, err := o.create(d, p)
	if err != nil {
		return nil, err
	}
	now, err := o.step(a, r)
	if err != nil {
		return nil, err
	}
	now.Successor = successor.ID
	if err := o.put(a, r, &now, schemas.Event{Other: successor.ID}, store.Content{}); err != nil {
		return nil, err
	}
	if successor.RetryOf != r.ID {
		return successor, nil
	}
	return successor, o.waitFor(r.ID, successor.ID)
}

// inherit fills what a handoff made by the rules has in common with the one it follows.
func (o *op) inherit(d *draft, r *store.Record) {
	h := &d.handoff
	h.Schema, h.Version = schemas.Version, max(h.Version, 1)
	if h.Source.Agent == "" {
		h.Source = schemas.Source{Agent: o.by.Agent, AgentID: o.by.AgentID}
	}
	h.Target = targetOf(d.to, h.Target.Reason)
	if h.Type == "" {
		h.Type = schemas.TypeHandoff
	}
	if len(h.Tags) == 0 {
		h.Tags = r.Tags
	}
	if h.Metadata.Priority == "" {
		h.Metadata.Priority = r.Priority
	}
	if h.Metadata.MaxAttempts == 0 {
		h.Metadata.MaxAttempts = r.MaxAttempts
	}
}

// failuresKept is how many earlier failures a handoff tells of.
const failuresKept = 10

// explain puts the failure and what was achieved into the context of the handoff that goes on. Where that
// makes it too large it says only where to read them: a handoff that goes on is never refused, since what
// ends the one before it may be the clock.
func (o *op) explain(r *store.Record, h *schemas.Handoff, why lost) error {
	before := value(h.Context)
	c := before
	c.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s", r.ID, r.Status, why.text()))
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
	checkpoint, err := lastCheckpoint(o.View, r)
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
	before.PreviousFailures = append(slices.Clone(before.PreviousFailures), fmt.Sprintf("%s %s: %s get_handoff %s with view full has the rest.",
		r.ID, r.Status, schemas.Clip(why.text(), 200), r.ID))
	h.Context = &before
	return nil
}

// headroom is left in a handoff made by the rules for what is filled in later, in bytes.
const headroom = 1 << 10

// cancelUnclaimed cancels what the holder of a failed handoff passed on and nobody has claimed.
func (o *op) cancelUnclaimed(r *store.Record) error {
	for id, err := range o.Oldest(store.ChildrenOf(r.ID), 0) {
		if err != nil {
			return err
		}
		child := o.usable(id)
		if child == nil || child.Status != schemas.Pending || child.Claims > 0 || child.From != r.Holder {
			continue
		}
		now, err := o.step(life.Cancel, child)
		if err != nil {
			return err
		}
		o.end(&now)
		if err := o.put(life.Cancel, child, &now, schemas.Event{Other: r.ID}, store.Content{}); err != nil {
			return err
		}
		if err := o.tell(child, noticeOf(life.Cancel, &now, r.ID.String()+", of which it was a part, failed.")); err != nil {
			return err
		}
		if err := o.unblock(&now); err != nil {
			return err
		}
	}
	return nil
}

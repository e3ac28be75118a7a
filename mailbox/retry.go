package mailbox

import (
	"cmp"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// retry runs a dead handoff again as a new one, see [life.Retry]. Repeating it gives the same one, for as long as that
// is the latest that took its place; a handoff that went on by a rollback can still be retried.
func (o *op) retry(r *store.Record, _ schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if r.Checkpoint != 0 {
		out.Checkpoint = reading.CheckpointID(r.Checkpoint)
	}
	if _, err := o.step(life.Retry, r); err != nil {
		return nil, err
	}
	if r.Successor != 0 {
		successor, err := o.Record(r.Successor)
		if err != nil || successor.RetryOf == r.ID {
			out.Created = r.Successor
			return r, err
		}
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	again, err := o.sendAgain(life.Retry, r, o.by.Token)
	if err != nil {
		return nil, err
	}
	out.Created, out.To = again.ID, again.To
	return r, nil
}

// returnWork gives a completed handoff back whose result is not good enough, see [life.Return]: the same agent gets a
// child with the reasons. It can be done once. That the chain has room for the child is checked first, since here the
// caller can be refused.
func (o *op) returnWork(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if _, ok := life.Next(life.Return, r.Status); ok && strings.TrimSpace(in.Note) == "" {
		return nil, schemas.Invalidf("note", "is needed to return work").WithHint("Say what is not good enough, so that it can be mended.")
	}
	now, err := o.step(life.Return, r)
	if err != nil {
		return nil, err
	}
	if err := o.checkDepth(lineage{}.under(r), r); err != nil {
		return nil, err
	}
	if err := o.checkPending(); err != nil {
		return nil, err
	}
	returned := happening{action: life.Return, was: r, now: &now, why: lost{Reason: in.Note}}
	if err := o.commitNote(returned, schemas.UpdateIn{Action: in.Action, Note: in.Note}); err != nil {
		return nil, err
	}
	followed, err := o.follow()
	if err != nil {
		return nil, err
	}
	out.Created, out.To = followed.successor.ID, followed.successor.To
	return &now, nil
}

// whatFollows is how the work goes on after r failed: as its holder asked for, by default with a rollback. A retry that
// nobody is left to make, because the attempts are used up or nobody else of the pool qualifies, becomes an escalation.
func (o *op) whatFollows(r *store.Record, asked schemas.Then) (schemas.Then, error) {
	if asked != schemas.ThenRetry {
		return cmp.Or(asked, schemas.ThenRollback), nil
	}
	if r.Attempt >= r.MaxAttempts {
		return schemas.ThenEscalate, nil
	}
	_, possible := r.To.Directed()
	if !possible {
		var err error
		if possible, err = o.candidatesLeft(r, r.Holder); err != nil {
			return "", err
		}
	}
	if !possible {
		return schemas.ThenEscalate, nil
	}
	return schemas.ThenRetry, nil
}

// rollbackTo is the agent that goes on after a failure: the one that the holder names, if that is the sender, the
// agent of rollback.on_failure, human, or an agent that sent or held one of the last thousand handoffs of the
// workflow. Without a name it is who takes the work back, see [reading.TakesBack]. The error is invalid for any other.
func (o *op) rollbackTo(r *store.Record, to string) (schemas.Agent, error) {
	if to == "" {
		return reading.TakesBack(r), nil
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
		WithKnown(texts(members)...).
		WithHint("Roll back to the sender, to the agent that the handoff names for a failure, or to a member of the workflow.")
}

// members are the agents that sent or held one of the last thousand handoffs of a workflow. The rules are none of them,
// and records that cannot be read are passed over.
func (o *op) members(wf schemas.Workflow) (members []schemas.Agent, err error) {
	looked := 0
	for id, err := range o.Newest(store.InWorkflow(wf), 0) {
		if err != nil {
			return nil, err
		}
		r := reading.Readable(o.View, id)
		if r == nil {
			continue
		}
		for _, a := range []schemas.Agent{r.From, r.Holder} {
			if a != "" && a != schemas.System && !slices.Contains(members, a) {
				members = append(members, a)
			}
		}
		if looked++; looked == listing.Scanned {
			break
		}
	}
	return members, nil
}

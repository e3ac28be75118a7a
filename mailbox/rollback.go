package mailbox

import (
	"cmp"
	"slices"
	"strings"

	"handoff/mailbox/draft"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// nextStep is how the work goes on after r failed: as its holder asked for, by default with a rollback. A retry that
// nobody is left to make, because the attempts are used up or nobody else of the pool qualifies, becomes an escalation.
// The holder is warned of that in the result. It reads only, and runs before the failure is committed.
func (o *op) nextStep(r *store.Record, asked schemas.Then) (schemas.Then, error) {
	if r.ReviewOf != 0 && asked == schemas.ThenStop {
		asked = schemas.ThenRollback // somebody judges the work
	}
	if asked != schemas.ThenRetry {
		return cmp.Or(asked, schemas.ThenRollback), nil
	}
	_, directed := r.To.Directed()
	others, err := o.hasOtherCandidates(r, r.Holder)
	if r.Attempt >= r.MaxAttempts || !directed && !others {
		return schemas.ThenEscalate, err
	}
	return schemas.ThenRetry, err
}

// rollbackTarget is the agent that goes on after a failure: the one that the holder names, if that is the sender, the
// agent of rollback.on_failure, human, or an agent that sent or held one of the last thousand handoffs of the
// workflow. Without a name it is who takes the work back, see [reading.RollbackTarget]. The error is invalid for any other.
// Others may not be named, so that failed work cannot be put upon an agent that never had a part in it.
func (o *op) rollbackTarget(r *store.Record, to string) (schemas.Agent, error) {
	if to == "" && r.ReviewOf != 0 {
		return o.nextReviewer(r)
	}
	if to == "" {
		return reading.RollbackTarget(r), nil
	}
	agent, err := draft.AddressParser(o.parseAddress).Agent("rollback_to", to)
	if err != nil {
		return "", err
	}
	if agent == r.From || agent == r.OnFailure || agent == schemas.Human {
		return agent, nil
	}
	if agent == r.Holder {
		return "", schemas.Invalidf("rollback_to", "%s holds it and cannot take it back", agent).
			WithHint("Release it, ask, or have it done again with then: retry.")
	}
	members, err := o.members(r.Workflow)
	if err != nil || slices.Contains(members, agent) {
		return agent, err
	}
	return "", schemas.Errorf(schemas.Invalid, "%s is not part of %s", agent, r.Workflow).WithField("rollback_to").
		WithKnown(schemas.Texts(members)...).
		WithHint("Roll back to the sender, to the agent that the handoff names for a failure, or to a member of the workflow.")
}

// members are the agents that sent or held one of the newest [reading.MaxScanned] handoffs of a workflow. The rules are
// none of them, and records that cannot be read are passed over.
func (o *op) members(wf schemas.Workflow) (members []schemas.Agent, err error) {
	for r, err := range reading.Records(o.View, reading.AtMost(reading.MaxScanned, o.Newest(store.InWorkflow(wf), 0))) {
		if err != nil {
			return nil, err
		}
		for _, a := range []schemas.Agent{r.From, r.Holder} {
			if a != "" && a != schemas.System && !slices.Contains(members, a) {
				members = append(members, a)
			}
		}
	}
	return members, nil
}

// stepBack puts a handoff that takes work back to the step of a plan before that of r: when it is done, the step of r
// comes again, and what fails there goes back one step more. Outside of plans, and where a handoff on the way cannot be
// read, nothing is changed. The way is the chain of parents, which is short.
//
// Nor is it where others wait for r, as the step does that joins several: these go on when the work that was taken back
// is done, see [life.FreeTakenBack], and would come twice else.
func (o *op) stepBack(r *store.Record, next *schemas.Handoff) {
	failed, err := reading.Handoff(o.View, r)
	for _, broken := range o.Oldest(store.DependentsOf(r.ID), 0) {
		if broken == nil {
			return
		}
	}
	plan, _, within := strings.Cut(failed.Metadata.Step, "/")
	at := failed.Metadata.Step
	for within && err == nil {
		parent := reading.RecordOrNil(o.View, r.Parent)
		if parent == nil {
			return
		}
		var before schemas.Handoff
		before, err = reading.Handoff(o.View, parent)
		if at == failed.Metadata.Step && parent.Status == schemas.Completed && strings.HasPrefix(before.Metadata.Step, plan+"/") {
			next.Metadata.Step, next.Rollback = before.Metadata.Step, before.Rollback
			return
		}
		r, at = parent, before.Metadata.Step
	}
}

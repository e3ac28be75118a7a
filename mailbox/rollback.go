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

// nextStepAfterFailure returns how the work continues after r failed: as the holder asked, by default with a rollback.
// A retry becomes an escalation if the attempts are used up or no other agent of the pool qualifies. The function
// writes nothing.
func (o *op) nextStepAfterFailure(r *store.Record, asked schemas.FailureContinuation) (schemas.FailureContinuation, error) {
	if r.ReviewOf != 0 && asked == schemas.ThenStop {
		asked = schemas.ThenRollback // the work still needs a review
	}
	if asked != schemas.ThenRetry {
		return cmp.Or(asked, schemas.ThenRollback), nil
	}
	_, directed := r.To.SingleAgent()
	others, err := o.hasOtherCandidates(r, r.Holder)
	if r.Attempt >= r.MaxAttempts || !directed && !others {
		return schemas.ThenEscalate, err
	}
	return schemas.ThenRetry, err
}

// rollbackTarget returns the agent that continues the work after a failure. The holder may name the sender, the agent
// of rollback.on_failure, human, or an agent that sent or held one of the last thousand handoffs of the workflow. For
// any other agent the error is invalid. If the holder names no agent, the result comes from [reading.RollbackTarget].
func (o *op) rollbackTarget(r *store.Record, to string) (schemas.Agent, error) {
	if to == "" && r.ReviewOf != 0 {
		return o.nextReviewer(r)
	}
	if to == "" {
		return reading.RollbackTarget(r), nil
	}
	agent, err := draft.AddressParser(o.parseAddress).ParseAgent("rollback_to", to)
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
	members, err := o.workflowMembers(r.Workflow)
	if err != nil || slices.Contains(members, agent) {
		return agent, err
	}
	return "", schemas.Errorf(schemas.Invalid, "%s is not part of %s", agent, r.Workflow).WithField("rollback_to").
		WithChoices(schemas.FormatAll(members)...).
		WithHint("Roll back to the sender, to the agent that the handoff names for a failure, or to a member of the workflow.").
		WithNext(schemas.AdviseCall(schemas.UpdateIn{HandoffID: r.ID.String(), Action: schemas.ActRelease, To: string(agent)}, "gives it to "+string(agent)))
}

// workflowMembers returns the agents that sent or held one of the newest [reading.MaxScanned] handoffs of a workflow.
// It leaves out the agent system, and records that cannot be read.
func (o *op) workflowMembers(wf schemas.Workflow) (members []schemas.Agent, err error) {
	for r, err := range reading.ReadableRecords(o.View, reading.AtMost(reading.MaxScanned, o.NewestFirst(store.IndexByWorkflow(wf), 0))) {
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

// turnIntoPreviousStep is for a failed handoff r that is a step of a plan, which is a workflow that a file declares. It
// turns the rollback, next, into the step of the plan before r. When that step is done, the rules of the plan send the
// step of r again. If that step fails, the work goes back one more step.
//
// It changes nothing if r is not a step of a plan, or if other handoffs depend on r. The completion of the rollback
// unblocks these handoffs, see [life.UnblockAfterRollback], so the step of r must not run again.
func (o *op) turnIntoPreviousStep(r *store.Record, next *schemas.Handoff) {
	failed, err := reading.ReadHandoff(o.View, r)
	for _, broken := range o.OldestFirst(store.IndexByDependency(r.ID), 0) {
		if broken == nil {
			return
		}
	}
	plan, _, within := strings.Cut(failed.Metadata.Step, "/")
	at := failed.Metadata.Step
	for parent := range reading.Chain(o.View, r.Parent, reading.ParentID) {
		before, unread := reading.ReadHandoff(o.View, parent)
		if !within || cmp.Or(err, unread) != nil {
			return
		}
		if at == failed.Metadata.Step && parent.Status == schemas.Completed && strings.HasPrefix(before.Metadata.Step, plan+"/") {
			next.Metadata.Step, next.Rollback = before.Metadata.Step, before.Rollback
			return
		}
		at = before.Metadata.Step
	}
}

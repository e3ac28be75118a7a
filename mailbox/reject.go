package mailbox

import (
	"fmt"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// reject refuses a handoff in the name of a recipient or of the holder. One of a pool that another agent may still take
// goes back there without the caller, see [life.Decline]; any other ends, see [life.Reject]. An agent that declined it
// before is told so, and nothing changes.
func (o *op) reject(r *store.Record, in schemas.FailIn, digest string) (out schemas.FailOut, err error) {
	if slices.Contains(r.Excluded, o.By.Agent) {
		return declined(r, "you declined it before"), nil
	}
	others, err := o.candidatesLeft(r, o.By.Agent)
	if err != nil {
		return out, err
	}
	if others {
		return o.decline(r, in)
	}
	now, err := o.Step(life.Reject, r)
	if err != nil {
		return out, err
	}
	rejected := &operation.Happening{Action: life.Reject, Was: r, Now: &now}
	instead, err := o.alternative(r, schemas.Agent(in.Alternative))
	if err != nil {
		return out, err
	}
	rejected.To = schemas.OrZero(instead).Card.Name
	failure := failureOf(in, schemas.ThenStop, "")
	if r.Reviews != 0 && rejected.To == "" {
		rejected.Then, rejected.Why = schemas.ThenRollback, operation.Loss{Failure: &failure}
	}
	out, next, err := o.endFailed(rejected, failure, digest)
	if next != nil {
		out.RollbackHandoff, out.To = next.ID, next.To
	}
	return out, err
}

// alternative is the agent that the caller names to do what it rejects, if the work may go there unasked: it is known
// and there, accepts the type, and neither sent nor rejected the work; else nil, and the sender decides.
func (o *op) alternative(r *store.Record, named schemas.Agent) (*store.Agent, error) {
	if named == "" || named == r.From || named == o.By.Agent || named == schemas.Human || slices.Contains(r.Excluded, named) {
		return nil, nil
	}
	a, err := o.Agent(named)
	if a != nil && (a.Card.Away || !roster.Accepts(a.Card, r.Type)) {
		a = nil
	}
	return a, err
}

// decline gives a handoff back to its pool. A claim that the caller had ends and is no attempt; a handoff that it only
// saw keeps its attempts. From now on the pool offers it to others only.
func (o *op) decline(r *store.Record, in schemas.FailIn) (schemas.FailOut, error) {
	now, err := o.Step(life.Decline, r)
	if err != nil {
		return schemas.FailOut{}, err
	}
	if r.Holder == o.By.Agent {
		operation.DropClaim(&now)
		now.Uncharged = r.Uncharged || r.Status.Held() // a silent attempt that lapsed before stays one
	}
	if now.Reserved != 0 {
		now.Box, now.Reserved = now.To, 0
	}
	now.Excluded = append(now.Excluded, o.By.Agent)
	if err := o.tellNamed(&now, schemas.Agent(in.Alternative)); err != nil {
		return schemas.FailOut{}, err
	}
	declines := &operation.Happening{Action: life.Decline, Was: r, Now: &now, Said: failureOf(in, schemas.ThenStop, "")}
	if err := o.Commit(declines); err != nil {
		return schemas.FailOut{}, err
	}
	passed := "others may take it; you are passed over"
	if operation.ToldFirst(&now) {
		passed += fmt.Sprintf("; %s is told first", now.Box)
	}
	return declined(&now, passed), nil
}

func declined(r *store.Record, warning string) schemas.FailOut {
	return schemas.FailOut{HandoffID: r.ID, Status: r.Status, Warnings: []string{warning}}
}

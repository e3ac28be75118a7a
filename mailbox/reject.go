package mailbox

import (
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// reject refuses a handoff in the name of a recipient or of the holder. One of a pool that another agent may still
// take goes back there without the caller, see [life.Decline]; any other ends, see [life.Reject]. An agent that
// declined it before is told so, and nothing changes.
func (o *op) reject(r *store.Record, in schemas.FailIn, digest string) (out schemas.FailOut, err error) {
	if slices.Contains(r.Excluded, o.by.Agent) {
		return declined(r, "you declined it before"), nil
	}
	others, err := o.candidatesLeft(r, o.by.Agent)
	if err != nil {
		return out, err
	}
	if others {
		return o.decline(r, in)
	}
	now, err := o.step(life.Reject, r)
	if err != nil {
		return out, err
	}
	rejected := happening{action: life.Reject, was: r, now: &now}
	out, _, err = o.endFailed(rejected, failureOf(in, schemas.ThenStop, ""), digest)
	return out, err
}

func (o *op) decline(r *store.Record, in schemas.FailIn) (schemas.FailOut, error) {
	now, err := o.step(life.Decline, r)
	if err != nil {
		return schemas.FailOut{}, err
	}
	content, err := o.said(failureOf(in, schemas.ThenStop, ""))
	if err != nil {
		return schemas.FailOut{}, err
	}
	if r.Holder == o.by.Agent {
		dropClaim(&now)
		now.Uncharged = r.Uncharged || r.Status.Held() // a silent attempt that lapsed before stays one
	}
	now.Excluded = append(now.Excluded, o.by.Agent)
	if err := o.commitSaying(happening{action: life.Decline, was: r, now: &now}, content); err != nil {
		return schemas.FailOut{}, err
	}
	return declined(&now, "others may take it; you are passed over"), nil
}

func declined(r *store.Record, warning string) schemas.FailOut {
	return schemas.FailOut{HandoffID: r.ID, Status: r.Status, Warnings: []string{warning}}
}

package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// approve lets a handoff go on that waits for a person.
func (o *op) approve(r *store.Record, in schemas.UpdateIn, out *schemas.UpdateOut) (*store.Record, error) {
	if !r.NeedsApproval && r.Status == schemas.Pending {
		return nil, schemas.Errorf(schemas.Conflict, "%s does not wait for approval", r.ID).About(r.ID, r.Status, 0)
	}
	now, err := o.step(life.Approve, r)
	if err != nil {
		return nil, err
	}
	now.NeedsApproval = false
	out.To = now.To
	approved := happening{action: life.Approve, was: r, now: &now, text: in.Note}
	return &now, o.commitNote(approved, schemas.UpdateIn{Action: in.Action, Note: in.Note})
}

// disapprove ends it instead.
func (o *op) disapprove(r *store.Record, in schemas.UpdateIn, _ *schemas.UpdateOut) (*store.Record, error) {
	if !r.NeedsApproval && r.Status == schemas.Pending {
		return nil, schemas.Errorf(schemas.Conflict, "%s does not wait for approval", r.ID).About(r.ID, r.Status, 0).
			WithHint("Only what waits for approval can be refused.")
	}
	now, err := o.step(life.Refuse, r)
	if err != nil {
		return nil, err
	}
	o.end(&now)
	now.Outcome = schemas.OutcomeRejected
	disapproved := happening{action: life.Refuse, was: r, now: &now, text: "Not approved. " + in.Note}
	return &now, o.commitNote(disapproved, schemas.UpdateIn{Action: in.Action, Note: in.Note})
}

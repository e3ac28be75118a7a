package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// askApproval tells a person that a handoff waits for approval.
func (o *op) askApproval(r *store.Record) error {
	return o.notify(schemas.Human, noticeOf(noticeApproval, r, "It waits for your approval: handoff approve "+r.ID.String()))
}

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
	content, err := o.saidNote(&now, in)
	if err != nil {
		return nil, err
	}
	out.To = now.To
	if err := o.put(life.Approve, r, &now, schemas.Event{}, content); err != nil {
		return nil, err
	}
	return &now, o.tell(r, noticeOf(life.Approve, &now, in.Note))
}

// disapprove ends it instead.
func (o *op) disapprove(r *store.Record, in schemas.UpdateIn, _ *schemas.UpdateOut) (*store.Record, error) {
	if !r.NeedsApproval && r.Status == schemas.Pending {
		return nil, schemas.Errorf(schemas.Conflict, "%s does not wait for approval", r.ID).About(r.ID, r.Status, 0).
			WithHint("Use action cancel to end it.")
	}
	now, err := o.step(life.Refuse, r)
	if err != nil {
		return nil, err
	}
	o.end(&now)
	now.Outcome = schemas.OutcomeRejected
	content, err := o.saidNote(&now, in)
	if err != nil {
		return nil, err
	}
	if err := o.put(life.Refuse, r, &now, schemas.Event{}, content); err != nil {
		return nil, err
	}
	if err := o.tell(r, noticeOf(life.Refuse, &now, fmt.Sprintf("Not approved. %s", in.Note))); err != nil {
		return nil, err
	}
	return &now, o.unblock(&now)
}

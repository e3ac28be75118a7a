package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// cancelPart cancels what the holder of a failed handoff passed on, unless somebody claimed it.
func (o *op) cancelPart(part, failed *store.Record) error {
	if part.Status != schemas.Pending || part.Claims > 0 || part.From != failed.Holder {
		return nil
	}
	now, err := o.step(life.Cancel, part)
	if err != nil {
		return err
	}
	o.end(&now)
	err = o.commit(happening{
		action: life.Cancel, was: part, now: &now, other: failed.ID,
		text: failed.ID.String() + ", of which it was a part, failed.",
	})
	return err
}

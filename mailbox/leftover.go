package mailbox

import (
	"fmt"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// endLeftovers cancels what the rules sent when an attempt before done failed: nobody needs a rollback or a decision of
// work that is done. The clock does it, since whoever completed is no party to those. What somebody holds goes on, as work
// under way may still be of use. No more than [mostLooked] handoffs are looked at.
func (o *op) endLeftovers(done *store.Record) error {
	looked := 0
	for before := reading.Readable(o.View, done.RetryOf); before != nil; before = reading.Readable(o.View, before.RetryOf) {
		for id, err := range o.Oldest(store.ChildrenOf(before.ID), 0) {
			if looked++; err != nil || looked > mostLooked {
				return err
			}
			if err := o.endLeftover(id, before, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// endLeftover cancels one handoff, if the rules sent it after a failure and it is pending.
func (o *op) endLeftover(id schemas.ID, failed, done *store.Record) error {
	r := o.usable(id)
	if r == nil || r.Status != schemas.Pending {
		return nil
	}
	h, err := reading.Handoff(o.View, r)
	if err != nil || h.Kind != "rollback" && h.Kind != "escalation" {
		return nil //nolint:nilerr // one that cannot be read stops no completion
	}
	text := fmt.Sprintf("%s did what %s failed to do, so nobody needs this any more.", done.ID, failed.ID)
	return o.actingAs(clockCaller, func() error {
		now, err := o.step(life.Cancel, r)
		if err != nil {
			return err
		}
		o.end(&now)
		cancelled := happening{action: life.Cancel, was: r, now: &now, other: done.ID, text: text}
		return o.commitNote(cancelled, schemas.UpdateIn{Action: schemas.ActCancel, Note: text})
	})
}

package mailbox

import (
	"fmt"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// tellBlocked tells the sender of r that a handoff for which it waits will not be completed.
func (o *op) tellBlocked(r, dead *store.Record) error {
	text := fmt.Sprintf("%s, for which it waits, is %s. Retry that one, or cancel this one.", dead.ID, dead.Status)
	return o.actingAs(clockCaller, func() error { return o.tell(r, noticeOf(noticeBlocked, r, text)) })
}

// waitInstead lets r wait for the handoff that takes the place of a dead one. That one may have ended by now, where
// many were gone through before.
func (o *op) waitInstead(r, dead *store.Record) error {
	successor, err := o.Record(dead.Successor)
	if err != nil {
		return err
	}
	if successor.Status == schemas.Completed {
		return o.strike(r, dead.ID, 0)
	}
	if err := o.strike(r, dead.ID, successor.ID); err != nil || !successor.Status.Ended() {
		return err
	}
	return o.tellBlocked(r, successor)
}

// strike takes one handoff from those that r waits for, and puts another in its place unless that is zero. The clock
// does it, whoever completed the one that is struck: r is another's. When nothing is left to wait for, r may be
// claimed.
func (o *op) strike(r *store.Record, dep, instead schemas.ID) error {
	return o.actingAs(clockCaller, func() error {
		now, err := o.step(life.Ready, r)
		if err != nil {
			return err
		}
		now.After = slices.DeleteFunc(now.After, func(id schemas.ID) bool { return id == dep })
		if instead != 0 {
			now.After = append(now.After, instead)
		}
		return o.commit(happening{action: life.Ready, was: r, now: &now, other: dep})
	})
}

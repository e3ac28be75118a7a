package mailbox

import (
	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// lateKept is how many late results of one handoff are kept.
const lateKept = 8

// keepLate keeps an outcome that came too late, and says so to the sender. It is kept and not applied, because another
// agent may be at work on the handoff or have finished it, and throwing it away would lose what was found. The record
// keeps its state and names the event that holds it. The same one again, and more than [lateKept], are not kept.
func (o *op) keepLate(r *store.Record, result schemas.Late, digest, summary string) error {
	if r.LateDigest == digest || len(r.Late) >= lateKept {
		return nil
	}
	content, err := o.said(result)
	if err != nil {
		return err
	}
	event, err := o.nextEvent()
	if err != nil {
		return err
	}
	now := r.Clone()
	now.Late, now.LateDigest = append(now.Late, event), digest
	text := "A late result came from " + string(o.by.Agent) + ": " + summary
	return o.commitSaying(happening{action: life.Late, was: r, now: &now, text: text}, content)
}

package mailbox

import (
	"errors"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// verdict is what becomes of an outcome that a holder sends, see [op.judge].
type verdict int

const (
	judgedWrong  verdict = iota
	judgedFirst          // the first outcome: it ends the handoff
	judgedRepeat         // it was recorded before: the holder gets the first result
	judgedLate           // the claim was lost: kept beside the record, and refused
)

// judge tells what becomes of an outcome that comes for r: whether it is the first, and ends the handoff; a repeat of
// the one that did; or late, because the claim was lost or the handoff ended without an outcome. For a late one and a
// wrong one it says why: stale, or what [op.proves] and [op.notNow] say.
func (o *op) judge(a life.Action, r *store.Record, token, digest string) (verdict, error) {
	if r.Status == schemas.Rejected && r.Holder != o.by.Agent && r.ResultDigest == digest {
		return judgedRepeat, nil // rejected from the mailbox: there was no claim to prove
	}
	err := o.proves(r, token)
	if e, ok := errors.AsType[*schemas.Error](err); ok && e.Code == schemas.Stale {
		return judgedLate, e.WithHint("What you sent was kept as a late result and %s was told.", r.From).
			WithNext(schemas.Call(schemas.ClaimIn{}, "takes the next one"))
	}
	switch {
	case err != nil:
		return judgedWrong, err
	case !r.Status.Ended():
		return judgedFirst, nil
	case r.ResultDigest == digest && r.Status != schemas.Returned:
		return judgedRepeat, nil
	case r.Result == 0 || r.Status == schemas.Returned:
		return judgedLate, o.overtaken(r) // ended by the clock, a cancel or a return
	}
	return judgedWrong, o.notNow(a, r)
}

func (o *op) overtaken(r *store.Record) *schemas.Error {
	e := schemas.Errorf(schemas.Stale, "%s is %s", r.ID, r.Status).About(r.ID, r.Status, r.Successor)
	hint := "What you sent was kept as a late result and its sender was told."
	if r.Successor != 0 {
		hint += " " + r.Successor.String() + " took its place."
	}
	return e.WithHint("%s", hint)
}

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

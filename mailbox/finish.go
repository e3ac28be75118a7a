package mailbox

import (
	"errors"
	"fmt"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// verdict is what becomes of the outcome that a holder sends.
type verdict int

const (
	judgedWrong  verdict = iota
	judgedFirst          // the first outcome: it ends the handoff
	judgedRepeat         // it was recorded before: answered as the first time
	judgedLate           // the claim was lost: kept beside the record, and refused
)

// lateKept is how many late results of one handoff are kept.
const lateKept = 8

// judge tells what becomes of an outcome, and why when it does not end the handoff.
func (o *op) judge(a life.Action, r *store.Record, token, digest string) (verdict, error) {
	if r.Status == schemas.Rejected && r.Holder != o.by.Agent && r.ResultDigest == digest {
		return judgedRepeat, nil // rejected from the mailbox: there was no claim to prove
	}
	err := o.proves(r, token)
	if e, ok := errors.AsType[*schemas.Error](err); ok && e.Code == schemas.Stale {
		return judgedLate, e.WithHint("What you sent was kept as a late result and %s was told. claim_handoff takes the next one.", r.From)
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

// keepLate keeps an outcome that came too late: the record's state stays, its sender is told. The same one
// again, and more than a few, are not kept.
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
	if err := o.put(life.Late, r, &now, schemas.Event{}, content); err != nil {
		return err
	}
	return o.tell(r, noticeOf(life.Late, r, "A late result came from "+string(o.by.Agent)+": "+summary))
}

// unblock lets those go on that waited for a handoff, or tells their senders that it will not complete.
func (o *op) unblock(done *store.Record) error {
	for id, err := range o.Oldest(store.WaitingFor(done.ID), 0) {
		if err != nil {
			return err
		}
		r := o.usable(id)
		if r == nil || r.Status.Ended() {
			continue
		}
		if done.Status != schemas.Completed {
			text := fmt.Sprintf("%s, for which it waits, is %s. Retry that one, or cancel this one.", done.ID, done.Status)
			if err := o.tellAnyway(r, noticeOf(noticeBlocked, r, text)); err != nil {
				return err
			}
			continue
		}
		if err := o.as(clockCaller, func() error { return o.strike(r, done.ID, 0) }); err != nil {
			return err
		}
	}
	return nil
}

// strike takes one handoff from those that r waits for, and puts another in its place unless that is zero.
func (o *op) strike(r *store.Record, dep, instead schemas.ID) error {
	now, err := o.step(life.Ready, r)
	if err != nil {
		return err
	}
	now.After = slices.DeleteFunc(now.After, func(id schemas.ID) bool { return id == dep })
	if instead != 0 {
		now.After = append(now.After, instead)
	}
	return o.put(life.Ready, r, &now, schemas.Event{Other: dep}, store.Content{})
}

// waitFor lets those that wait for a dead handoff wait for the one that takes its place.
func (o *op) waitFor(dead, instead schemas.ID) error {
	return o.as(clockCaller, func() error {
		for id, err := range o.Oldest(store.WaitingFor(dead), 0) {
			if err != nil {
				return err
			}
			r := o.usable(id)
			if r == nil || r.Status.Ended() {
				continue
			}
			if err := o.strike(r, dead, instead); err != nil {
				return err
			}
		}
		return nil
	})
}

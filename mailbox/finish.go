package mailbox

import (
	"errors"

	"handoff/schemas"
	"handoff/store"
)

// verdict is what becomes of the outcome that a holder sends.
type verdict int

const (
	refuse verdict = iota
	accept
	repeat // it was recorded before: answered as the first time
	late   // the claim was lost: kept beside the record, and refused
)

// lateKept is how many late results of one handoff are kept.
const lateKept = 8

// judge tells what becomes of an outcome, and why when it is not recorded.
func (o *op) judge(a action, r *store.Record, token, digest string) (verdict, error) {
	err := o.proves(r, token)
	var e *schemas.Error
	switch {
	case errors.As(err, &e) && e.Code == schemas.Stale && len(r.Late) < lateKept:
		return late, e.WithHint("What you sent was kept as a late result and %s was told. claim_handoff takes the next one.", r.From)
	case err != nil:
		return refuse, err
	case !r.Status.Ended():
		return accept, nil
	case r.ResultDigest == digest && r.Status != schemas.Returned:
		return repeat, nil
	case (r.Result == 0 || r.Status == schemas.Returned) && len(r.Late) < lateKept:
		return late, o.overtaken(r) // ended by the clock, a cancel or a return
	}
	return refuse, o.notNow(a, r)
}

func (o *op) overtaken(r *store.Record) *schemas.Error {
	e := schemas.Errorf(schemas.Stale, "%s is %s", r.ID, r.Status).About(r.ID, r.Status, r.Successor)
	hint := "What you sent was kept as a late result and its sender was told."
	if r.Successor != 0 {
		hint += " " + r.Successor.String() + " took its place."
	}
	return e.WithHint("%s", hint)
}

// keepLate keeps an outcome that came too late: the record's state stays, its sender is told.
func (o *op) keepLate(r *store.Record, content store.Content, summary string) error {
	if _, ok := next(actLate, r.Status); !ok {
		return o.notNow(actLate, r)
	}
	event, err := o.nextEvent()
	if err != nil {
		return err
	}
	now := r.Clone()
	now.Late = append(now.Late, event)
	if err := o.put(actLate, r, &now, schemas.Event{}, content); err != nil {
		return err
	}
	return o.notify(r.From, noticeOf(actLate, r, "A late result came from "+string(o.by.Agent)+": "+summary))
}

// unblock lets those go on that waited for a handoff, or tells their senders that it will not complete.
func (o *op) unblock(done *store.Record) error {
	for id, err := range o.Oldest(store.WaitingFor(done.ID), 0) {
		if err != nil {
			return err
		}
		r, err := o.Record(id)
		if err != nil {
			return err
		}
		if done.Status != schemas.Completed {
			if err := o.notify(r.From, noticeOf("blocked", r, string(done.Status)+": "+done.ID.String()+
				", for which it waits. Amend, retry or cancel.")); err != nil {
				return err
			}
			continue
		}
		if err := o.as(clockCaller, func() error { return o.released(r, done.ID) }); err != nil {
			return err
		}
	}
	return nil
}

// released strikes one handoff from those that r waits for.
func (o *op) released(r *store.Record, dep schemas.ID) error {
	now, err := o.step(actReady, r)
	if err != nil {
		return err
	}
	now.After = remainingIDs(now.After, dep)
	return o.put(actReady, r, &now, schemas.Event{Other: dep}, store.Content{})
}

func remainingIDs(ids []schemas.ID, without schemas.ID) (rest []schemas.ID) {
	for _, id := range ids {
		if id != without {
			rest = append(rest, id)
		}
	}
	return rest
}

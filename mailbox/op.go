package mailbox

import (
	"encoding/json"
	"slices"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/mailbox/waiting"
	"handoff/schemas"
	"handoff/store"
)

// op is one operation inside one transaction: who does it and when. It is made anew each time the store runs the
// transaction, so nothing of a first run is left in a second. Its methods may be called only while the transaction
// lasts.
//
// An operation finds its record with [op.find], checks and changes it with [op.step], and keeps it with [op.commit],
// which notes what happened. [op.follow] carries out what follows.
type op struct {
	*Service
	*store.View
	tx  *store.Tx
	by  schemas.Caller
	now time.Time

	started time.Time // of the service, as if the machine had not slept and nobody had set the clock since

	self *store.Agent // the caller, once read

	happened []*happening // from which is yet to follow what the table says
	left     int          // how many other handoffs may still be gone through for it

	effects
	more bool // the clock has more to change than one operation does

	fruitless bool  // nothing was done: there is no outcome to remember
	refusal   error // what the caller is told although something was kept
}

// refuse commits what was done and tells the caller err all the same.
func (o *op) refuse(err error) { o.refusal = err }

// effects are what others are told of after the commit.
type effects struct {
	wrote     bool              // there is something new to see
	unheld    []schemas.ID      // handoffs that nobody holds any more
	boxes     []schemas.Address // where something may now be claimed, or was noticed; once for each
	freed     []schemas.Agent   // who held as many as they take, and hold less
	regrouped bool              // agents may claim from other boxes than before
	owing     bool              // more follows than one transaction carries out
	due       store.Time        // the next time at which the clock changes what was changed, zero for never
}

// announced is what those are told who wait.
func (e effects) announced() waiting.Effects {
	return waiting.Effects{Boxes: e.boxes, Freed: e.freed, Regrouped: e.regrouped, Due: e.due.Time()}
}

// clockCaller is in whose name the server does what nobody asked for.
var clockCaller = schemas.Caller{Agent: schemas.System, Via: schemas.ViaClock}

// actingAs does a part of the operation in the name of another.
func (o *op) actingAs(by schemas.Caller, fn func() error) error {
	was := o.by
	defer func() { o.by = was }()
	o.by = by
	return fn()
}

// find resolves an id as a caller wrote it: "ho_12", "12", or the id that a foreign message brought.
func (o *op) find(id string) (*store.Record, error) {
	r, err := reading.Find(o.View, id)
	if err != nil {
		return nil, err
	}
	return o.current(r)
}

// commit keeps a changed record together with its event, and notes what happened; what follows from that is carried
// out later in the same transaction, see [op.follow]. Every change of a record is made by commit. It sets when the
// clock next changes the record, and gathers whom to wake after the transaction. The record is changed no more after
// it.
func (o *op) commit(h happening) error { return o.commitSaying(h, store.Content{}) }

// commitSaying is commit with what was said: it is kept with the event.
func (o *op) commitSaying(h happening, said store.Content) error {
	h.by = o.by
	h.now.Wakes = wakes(h.now)
	if _, err := o.tx.Change(h.was, h.now, o.event(&h), said); err != nil {
		return err
	}
	o.gather(h.was, h.now)
	o.happened = append(o.happened, &h)
	return nil
}

// event is what the registry keeps of what happened.
func (o *op) event(h *happening) schemas.Event {
	e := schemas.Event{Other: h.other, Due: h.due.Time(), To: h.now.Status, Attempt: h.now.Attempt}
	o.sign(&e, h.action)
	if h.was == nil {
		return e
	}
	if e.From = h.was.Status; e.Via == schemas.ViaClock {
		e.Asleep = int(o.asleep(h.was).Seconds())
	}
	return e
}

// gather adds what others are told of after the commit.
func (o *op) gather(was, now *store.Record) {
	o.wrote = true
	if now.Status == schemas.Pending && now.Box != "" && !now.Blocked() {
		o.boxes = append(o.boxes, now.Box)
	}
	if now.Wakes != 0 && (o.due == 0 || now.Wakes < o.due) {
		o.due = now.Wakes
	}
	if was != nil && was.Status.Held() && !now.Status.Held() {
		o.unheld = append(o.unheld, now.ID)
		o.unburden(was.Holder)
	}
}

// wakes is the next time at which the clock changes a record.
func wakes(r *store.Record) store.Time {
	switch {
	case len(r.Owes) > 0:
		return r.Created // at once
	case r.Status.Ended():
		return 0
	}
	times := []store.Time{r.Deadline, r.Lease, r.Reserved}
	if r.Box == "" && r.Status == schemas.Pending {
		times = append(times, r.NotBefore)
	}
	times = slices.DeleteFunc(times, func(t store.Time) bool { return t == 0 })
	if len(times) == 0 {
		return 0
	}
	return slices.Min(times)
}

// unburden notes that an agent holds one less: if it held as many as it takes, it claims from pools again.
func (o *op) unburden(holder schemas.Agent) {
	a, err := o.Agent(holder)
	if err == nil && orZero(a).Card.MaxOpen == 0 {
		return
	}
	m, unread := o.Mailbox(schemas.Address(holder))
	if err != nil || unread != nil || m.Held == a.Card.MaxOpen-1 {
		o.freed = append(o.freed, holder)
	}
}

// record keeps an event that is about no handoff.
func (o *op) record(a life.Action, content store.Content) error {
	var e schemas.Event
	o.sign(&e, a)
	_, err := o.tx.Change(nil, nil, e, content)
	o.wrote = true
	o.regrouped = o.regrouped || a == life.Register
	return err
}

// recordSaid is [op.record] with what a caller said as the content.
func (o *op) recordSaid(a life.Action, said any) error {
	content, err := o.said(said)
	if err != nil {
		return err
	}
	return o.record(a, content)
}

// sign says in an event what was done, when, by whom and how that was proved.
func (o *op) sign(e *schemas.Event, a life.Action) {
	e.Action, e.At = string(a), o.now
	e.Agent, e.AgentID, e.Via, e.Token, e.Trace = o.by.Agent, o.by.AgentID, o.by.Via, o.by.Token, o.by.Trace
}

// said makes content from what a caller said.
func (s *Service) said(v any) (store.Content, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return store.Content{}, err
	}
	return store.Content{Bytes: b, Salt: []byte(s.NewID("salt"))}, nil
}

// saidWithin is [Service.said] for a part of a call that may be no larger than a handoff, named as an error calls it.
func (s *Service) saidWithin(part string, v any) (store.Content, error) {
	content, err := s.said(v)
	if err != nil {
		return content, err
	}
	return content, schemas.TooBig(part, len(content.Bytes), s.Limits.Handoff)
}

// change does an action to a record and commits it: alter makes what changes besides the state.
func (o *op) change(h happening, r *store.Record, alter func(now *store.Record)) error {
	now, err := o.step(h.action, r)
	if err != nil {
		return err
	}
	alter(&now)
	h.was, h.now = r, &now
	return o.commit(h)
}

// nextEvent is the number that the next event will have, for records that point to its content.
func (o *op) nextEvent() (uint64, error) {
	n, err := o.Events()
	return n + 1, err
}

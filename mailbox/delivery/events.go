// Package delivery says what a session is to know at an event: what waits for it, what it holds, what it has not read.
// It marks what it has said, so that a session is told once; what it says of handoffs, package mailbox keeps.
//
// The marks are rows of the store, because hooks are short processes and two may run at once. Being told is not
// reading: notices stay unread. This package reads the store; the handoffs that a session holds are given to it as
// they are now, because only an operation of package mailbox applies the end of a lease.
package delivery

import (
	"errors"
	"iter"
	"slices"
	"time"

	"handoff/mailbox/listing"
	"handoff/mailbox/offer"
	"handoff/mailbox/reading"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Session is one session at an event. The functions read handoffs as they are at that time.
type Session struct {
	offer.Offers
	In    schemas.NewsIn
	Agent schemas.Agent // under whose name it runs
	Now   time.Time
	Since int64 // when a wait began, in nanoseconds since 1970, zero for none

	Usable func(schemas.ID) *store.Record                      // nil for one that cannot be read
	Held   func(schemas.Agent) iter.Seq2[*store.Record, error] // what an agent holds, oldest first
}

// Delivery is what came of an event. It lives as long as one run of the transaction.
//
// What is delivered is kept by agent and session, so two sessions under one name each hear of everything, and a session
// that begins anew hears of it again. The marks are three sets of ids and the time at which a command of the session
// last began to wait.
type Delivery struct {
	Session
	Out    schemas.NewsOut
	Marked bool            // the marks changed and were kept
	Woke   bool            // those that wait for the session look again
	Noted  []*store.Record // of these a note is to be left, see [Delivery.Note]

	found     schemas.Marks   // what there is to deliver
	delivered store.Delivered // in the session, before and now
	happened  string          // to the session, for the notes
}

// Rows keep what was delivered to sessions. See [store.Tx].
type Rows interface {
	PutDelivered(a schemas.Agent, session string, d store.Delivered) error
	ForgetDelivered(before time.Time, a schemas.Agent, session string, limit int) error
}

// Make finds what there is to deliver at the event, and keeps that it was delivered. The error is invalid for an event
// that is none, and that of the store. It is called anew for each run of the transaction: a delivery of an earlier run
// is of no use.
func Make(rows Rows, s Session) (d *Delivery, err error) {
	d = &Delivery{Session: s, Out: schemas.NewsOut{Agent: s.Agent}}
	deliver, ok := events[s.In.On]
	if !ok {
		return d, schemas.Invalidf("on", "%q is not an occasion", schemas.Visible(string(s.In.On)))
	}
	if d.delivered, err = d.Delivered(s.Agent, s.In.Session); err != nil {
		return d, err
	}
	if err := deliver(d); err != nil {
		return d, err
	}
	return d, d.keepMarks(rows)
}

// events is what is delivered at each event of a session.
var events = map[schemas.SessionEvent]func(*Delivery) error{
	schemas.OnStart:       (*Delivery).onStart,
	schemas.OnMail:        (*Delivery).onMail,
	schemas.OnStop:        (*Delivery).onStop,
	schemas.OnEnd:         (*Delivery).onEnd,
	schemas.OnCompact:     func(d *Delivery) error { return d.leaveNotes("was compacted") },
	schemas.OnWake:        (*Delivery).onWake,
	schemas.OnLook:        (*Delivery).onLook,
	schemas.OnUndelivered: (*Delivery).takeBack,
}

// onStart delivers all that matters to a session that knows nothing yet, or nothing any more.
func (d *Delivery) onStart() error {
	if err := d.onLook(); err != nil {
		return err
	}
	d.mark(d.found)
	return nil
}

// onLook tells the same to a person that looks, and marks nothing.
func (d *Delivery) onLook() (err error) {
	d.nameOthers()
	held, err := d.held()
	if err != nil {
		return err
	}
	d.show(held)
	if d.Out.Mail, err = d.Inbox(d.Agent); err != nil {
		return err
	}
	return errors.Join(d.findHandoffs(false), d.findNotices(func(schemas.Notice) bool { return true }))
}

// onMail delivers what has come since the last delivery.
func (d *Delivery) onMail() error {
	if err := errors.Join(d.findHandoffs(true), d.findNotices(d.isNew)); err != nil {
		return err
	}
	d.mark(d.found)
	return nil
}

// onEnd leaves a note with what the session holds. The session is not to be woken any more: the commands that wait for
// it end. Its claims stay, since a client may come back; they end with their leases.
func (d *Delivery) onEnd() error {
	if d.delivered.Waits != 0 {
		d.delivered.Waits, d.Marked = d.Now.UnixNano(), true
		d.Woke = true // so that the calls that wait look again
	}
	return d.leaveNotes("ended")
}

// onWake delivers the handoff for which a session is to wake up, or the answer to a question of its own. The newest
// wait of a session ends those before it, so that one mail starts a session once. A session that is at work on
// something is not woken: its next stop tells it. Only the first item is marked, because a woken session sees no more;
// the others are delivered at its next event.
func (d *Delivery) onWake() error {
	switch {
	case d.delivered.Waits > d.Since:
		d.Out.Over = "the session has ended, or a newer command waits for it"
		return nil
	case d.delivered.Waits < d.Since:
		d.delivered.Waits, d.Marked = d.Since, true
		d.Woke = true // so that the waits before it look again
	}
	held, err := d.held()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(held, atWork) {
		d.Out.Over = "the session is at work"
		return nil
	}
	answered := func(n schemas.Notice) bool { return d.isNew(n) && n.Kind == NoticeAnswer }
	if err := errors.Join(d.findHandoffs(true), d.findNotices(answered)); err != nil {
		return err
	}
	d.markFirst()
	return nil
}

const (
	// mostPassed is how many handoffs are passed over that were delivered to a session and that it has not claimed: as
	// many as a mailbox holds by default.
	mostPassed = 10_000

	// NoticeAnswer is the kind of a notice that a question was answered.
	NoticeAnswer = "answer"
)

// findHandoffs finds what the session may claim, best first. With fresh it passes over what was delivered to the
// session before. It stops after [reading.MaxScanned] records, or [mostPassed] that were delivered before, and passes
// over what cannot be read.
func (d *Delivery) findHandoffs(fresh bool) error {
	a, err := sessions.AgentOrNew(d.View, d.Agent)
	if err != nil {
		return err
	}
	looked, passed := 0, 0
	read := func(id schemas.ID) *store.Record {
		if fresh && d.delivered.Handoffs.Has(uint64(id)) {
			passed++
			return nil
		}
		looked++
		return d.Usable(id)
	}
	for r, err := range d.Queue(a, nil, read) {
		if err != nil {
			return err
		}
		if r != nil {
			d.found.Handoffs = append(d.found.Handoffs, r.ID)
			d.name(listing.Item(r))
		}
		if looked == reading.MaxScanned || passed == mostPassed {
			break
		}
	}
	return nil
}

// name adds to the result what was found: the first few are named, the others counted.
func (d *Delivery) name(it schemas.Item) {
	if len(d.Out.New) < newsShown {
		d.Out.New = append(d.Out.New, it)
	} else {
		d.Out.MoreNew++
	}
}

// findNotices finds the unread notices that are wanted, newest first, among the newest thousand. It reads each of them.
func (d *Delivery) findNotices(wanted func(schemas.Notice) bool) error {
	for notice, err := range reading.AtMost(reading.MaxScanned, d.UnreadBy(d.Agent)) {
		if err != nil {
			return err
		}
		if wanted(notice) {
			d.found.Notices = append(d.found.Notices, notice.ID)
			d.name(listing.NoticeItem(notice, true))
		}
	}
	return nil
}

// isNew tells whether a notice was not delivered yet.
func (d *Delivery) isNew(notice schemas.Notice) bool {
	return !d.delivered.Notices.Has(uint64(notice.ID))
}

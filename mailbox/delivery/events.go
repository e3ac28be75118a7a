// Package delivery selects the news for a client session at an event of the session, such as its start: pending
// handoffs, handoffs that the session holds, and unread notices. It marks these items as delivered, so that a session
// gets each item once. The marks are in the store, because each hook that asks for news runs in its own short process.
//
// When a session ends or is compacted, the delivery asks for a note on each handoff that the session holds. Package
// mailbox stores these notes.
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

// Session is one client session at an event, such as its start or its end. Its two functions read handoffs as they are
// at the event.
type Session struct {
	offer.Offers
	In        schemas.NewsIn
	Agent     schemas.Agent // the name of the session
	Now       time.Time
	WaitBegan int64 // the start of a wait, in nanoseconds since 1970, zero for none

	// Polls is true if the session has a wait that polls, and PollsForWork if the wait takes work. The client wakes the
	// session at the end of the wait.
	Polls, PollsForWork bool

	ReadRecord func(schemas.ID) *store.Record                      // nil for an unreadable record
	Held       func(schemas.Agent) iter.Seq2[*store.Record, error] // the claims of an agent, oldest first
}

// Delivery is the result of one event: the news for the session, and the changes of its marks. It is valid only in one
// run of the transaction: a transaction that runs again makes a new Delivery.
//
// A mark says that an item was delivered to the session. Two sessions under one name have separate marks, so each gets
// every item.
type Delivery struct {
	Session
	Out            schemas.NewsOut
	MarksChanged   bool            // the marks changed and were stored
	WakePolls      bool            // long polls of the session check again
	HandoffsToNote []*store.Record // handoffs that get a note, see [Delivery.CheckpointWithNote]

	found         schemas.Marks        // the items to deliver
	delivered     store.DeliveredItems // to the session, before and now
	eventForNotes string               // to the session, for the notes
}

// MakeDelivery collects the news for the event and stores the marks. After an error it stores none. The error is invalid
// for an unknown event; other errors come from the store. If the transaction runs again, the caller must call MakeDelivery again.
func MakeDelivery(rows *store.RowTx, s Session) (d *Delivery, err error) {
	d = &Delivery{Session: s, Out: schemas.NewsOut{Agent: s.Agent}}
	deliver, ok := handlers[s.In.On]
	if !ok {
		return d, schemas.Invalidf("on", "%q is not an occasion", schemas.EscapeHidden(string(s.In.On)))
	}
	if d.delivered, err = d.DeliveredItems(s.Agent, s.In.Session); err != nil {
		return d, err
	}
	if err := deliver(d); err != nil {
		return d, err
	}
	return d, d.storeMarks(rows)
}

// handlers has the delivery for each event of a session.
var handlers = map[schemas.SessionEvent]func(*Delivery) error{
	schemas.OnStart:       (*Delivery).onStart,
	schemas.OnMail:        (*Delivery).onMail,
	schemas.OnStop:        (*Delivery).onStop,
	schemas.OnEnd:         (*Delivery).onEnd,
	schemas.OnCompact:     func(d *Delivery) error { return d.requestNotes("was compacted") },
	schemas.OnWake:        (*Delivery).onWake,
	schemas.OnLook:        (*Delivery).onLook,
	schemas.OnUndelivered: (*Delivery).removeMarks,
}

// onStart delivers the news to a session that has just started or was compacted: pending handoffs, notices, held
// handoffs, and the other agents.
func (d *Delivery) onStart() error {
	err := d.onLook()
	d.markDelivered(d.found)
	return err
}

// onLook collects the same items as onStart but marks none as delivered, because a person reads them.
func (d *Delivery) onLook() (err error) {
	d.addOtherAgents()
	held, err := d.heldHandoffs()
	if err != nil {
		return err
	}
	d.addHeldHandoffs(held)
	if d.Out.Mail, err = d.CountInbox(d.Agent); err != nil {
		return err
	}
	return errors.Join(d.findHandoffs(false), d.findNotices(func(schemas.Notice) bool { return true }))
}

// onMail delivers items that came since the last delivery.
func (d *Delivery) onMail() error {
	err := errors.Join(d.findHandoffs(true), d.findNotices(d.isNewNotice))
	d.markDelivered(d.found)
	return err
}

// onEnd requests a note on each handoff that the session holds, and ends the commands that wait for news of the
// session. It keeps the claims, because the session may be resumed before the leases end.
func (d *Delivery) onEnd() error {
	if d.delivered.Waits != 0 {
		d.delivered.Waits, d.MarksChanged = d.Now.UnixNano(), true
		d.WakePolls = true // so that its long polls check again
	}
	return d.requestNotes("ended")
}

// onWake delivers the first pending handoff or answer to a command that waits to wake an idle session. It marks only
// this item as delivered, so the session gets the other items at its next event. If several commands wait for one
// session, only the newest continues. A session that polls for work is not woken, because its client does it. A session
// with unfinished handoffs is not woken either: it gets the news at its next stop.
func (d *Delivery) onWake() error {
	switch {
	case d.delivered.Waits > d.WaitBegan:
		d.Out.Over = "the session has ended, or a newer command waits for it"
		return nil
	case d.delivered.Waits < d.WaitBegan:
		d.delivered.Waits, d.MarksChanged = d.WaitBegan, true
		d.WakePolls = true // so that earlier waits check again
	}
	held, err := d.heldHandoffs()
	if err != nil || d.PollsForWork {
		return err
	}
	if slices.ContainsFunc(held, needsAction) {
		d.Out.Over = "the session is at work"
		return nil
	}
	answered := func(n schemas.Notice) bool { return d.isNewNotice(n) && n.Kind == NoticeAnswer }
	err = errors.Join(d.findHandoffs(true), d.findNotices(answered))
	d.markFirstItem()
	return err
}

const (
	// maxSkipped is the maximum number of handoffs that findHandoffs skips because they were delivered before. It
	// equals the default size of a mailbox.
	maxSkipped = 10_000

	// NoticeAnswer is the kind of a notice with the answer to a question.
	NoticeAnswer = "answer"
)

// findHandoffs collects the handoffs that the session may claim, in the order of claims. If fresh is true, it skips
// handoffs that were delivered to the session before. It reads at most [reading.MaxScanned] records and skips at most
// [maxSkipped] handoffs.
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
		return d.ReadRecord(id)
	}
	for r, err := range d.Queue(a, nil, read) {
		if err != nil {
			return err
		}
		if r != nil {
			d.found.Handoffs = append(d.found.Handoffs, r.ID)
			d.addItem(listing.HandoffItem(r))
		}
		if looked == reading.MaxScanned || passed == maxSkipped {
			break
		}
	}
	return nil
}

// addItem adds an item to the result. The result names the first [maxNamedItems] items and only counts the others.
func (d *Delivery) addItem(it schemas.ListItem) {
	if len(d.Out.New) < maxNamedItems {
		d.Out.New = append(d.Out.New, it)
	} else {
		d.Out.MoreNew++
	}
}

// findNotices collects the unread notices for which wanted returns true, newest first. It reads at most the newest
// thousand unread notices.
func (d *Delivery) findNotices(wanted func(schemas.Notice) bool) error {
	for notice, err := range reading.AtMost(reading.MaxScanned, d.UnreadNotices(d.Agent)) {
		if err != nil {
			return err
		}
		if wanted(notice) {
			d.found.Notices = append(d.found.Notices, notice.ID)
			d.addItem(listing.NoticeItem(notice, true))
		}
	}
	return nil
}

// isNewNotice reports whether a notice was not delivered yet.
func (d *Delivery) isNewNotice(notice schemas.Notice) bool {
	return !d.delivered.Notices.Has(uint64(notice.ID))
}

package mailbox

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"handoff/mailbox/listing"
	"handoff/mailbox/waiting"
	"handoff/schemas"
	"handoff/store"
)

// News delivers to a session what it is to know at an event: the hooks of the session ask for it when something happens
// in it. Each handoff and each notice is delivered once in a session: the first few are named, the others counted, and
// all are marked in the same transaction, so hooks that run at once do not repeat each other. A handoff that is named
// is not claimed, and a notice not read. Nothing is written when there is nothing to deliver. On wake the call waits
// for a handoff, if asked.
//
// The events are in the table sessionEvents. The error is invalid for another event, and where nothing tells which
// session of the client calls. A call that is repeated with its request id gets the same delivery; without one it gets
// what is new since. If the process dies after the commit and before the session reads the answer, those items are not
// delivered again in this session; they stay in the mailbox, and are delivered to the next session.
//
// Limits: five items and five held handoffs are named, a thousand rows of each kind are looked at, and marks are kept
// for a week after the session was last heard of.
func (s *Service) News(ctx context.Context, by schemas.Caller, in schemas.NewsIn) (schemas.NewsOut, error) {
	if in.On != schemas.OnWake {
		return s.deliverOnce(ctx, by, in, 0)
	}
	since, until := waiting.Turn(by, in.WaitSeconds, s.Now())
	for {
		changed := s.hub.NextChange()
		out, err := s.deliverOnce(ctx, by, in, since.UnixNano())
		if err != nil || len(out.New) > 0 || out.Over != "" || !s.Now().Before(until) {
			return out, err
		}
		if err := s.sleep(ctx, changed, until); err != nil {
			return out, err
		}
	}
}

// deliverOnce makes one delivery. Where the call is over by then, nobody receives it: its marks are taken back. Since
// tells apart the waits of one session, in nanoseconds since 1970, zero for a call that does not wait.
func (s *Service) deliverOnce(
	ctx context.Context, by schemas.Caller, in schemas.NewsIn, since int64,
) (out schemas.NewsOut, err error) {
	err = s.update(ctx, by, func(o *op) (err error) {
		out, err = once(o, func(o *op) (schemas.NewsOut, error) {
			d := delivery{op: o, in: in, since: since}
			return d.make()
		})
		return err
	})
	if gone := ctx.Err(); gone != nil && out.Marked != nil {
		return schemas.NewsOut{}, cmp.Or(s.undeliver(by, in, out), s.coded(gone))
	}
	return out, err
}

// undeliver takes back the marks of a delivery that nobody waits for any more. The context of that call is over, so it
// is not used. A failure is returned, and the marks stay.
func (s *Service) undeliver(by schemas.Caller, in schemas.NewsIn, out schemas.NewsOut) error {
	by.Agent, by.Request = out.Agent, ""
	return s.update(context.Background(), by, func(o *op) error {
		d := delivery{op: o, in: schemas.NewsIn{On: schemas.OnUndelivered, Session: in.Session, Undelivered: out.Marked}}
		_, err := d.make()
		return err
	})
}

// delivery is what one call tells one session. It lives as long as one run of the transaction. Found is what there is
// to deliver; delivered is what was, and is written at the end if marked says that it changed.
//
// What is delivered is kept by agent and session, so two sessions under one name each hear of everything, and a session
// that begins anew hears of it again. The marks are three sets of ids and the time at which a command of the session
// last began to wait.
type delivery struct {
	*op
	in    schemas.NewsIn
	since int64 // when a wait began, in nanoseconds since 1970
	out   schemas.NewsOut

	found     schemas.Marks   // what there is to deliver
	delivered store.Delivered // in the session, before and now
	marked    bool            // delivered changed and is to be kept
	noted     bool            // something was kept about handoffs
}

// make finds what there is to deliver at the event, and keeps that it was delivered. From here on the operation acts as
// the agent under whose name the session runs, which a hook need not know. A call that delivered nothing is not
// remembered under its request id, so that its repeat looks again.
func (d *delivery) make() (out schemas.NewsOut, err error) {
	deliver, ok := sessionEvents[d.in.On]
	if !ok {
		return out, schemas.Invalidf("on", "%q is not an occasion", schemas.Visible(string(d.in.On)))
	}
	if d.by.Agent, err = d.nameOf(d.in); err != nil {
		return out, err
	}
	d.out.Agent = d.by.Agent
	if d.delivered, err = d.Delivered(d.by.Agent, d.in.Session); err != nil {
		return out, err
	}
	if err := deliver(d); err != nil {
		return out, err
	}
	waits := d.in.On == schemas.OnWake && len(d.out.New) == 0 && d.out.Over == ""
	d.fruitless = !d.marked && !d.noted || waits // a repeat looks again
	return d.out, d.keepMarks()
}

// sessionEvents is what is delivered at each event of a session.
var sessionEvents = map[schemas.SessionEvent]func(*delivery) error{
	schemas.OnStart:       (*delivery).onStart,
	schemas.OnMail:        (*delivery).onMail,
	schemas.OnStop:        (*delivery).onStop,
	schemas.OnEnd:         (*delivery).onEnd,
	schemas.OnCompact:     func(d *delivery) error { return d.leaveNotes("was compacted") },
	schemas.OnWake:        (*delivery).onWake,
	schemas.OnLook:        (*delivery).onLook,
	schemas.OnUndelivered: (*delivery).takeBack,
}

// onStart delivers all that matters to a session that knows nothing yet, or nothing any more.
func (d *delivery) onStart() error {
	if err := d.onLook(); err != nil {
		return err
	}
	d.mark(d.found)
	return nil
}

// onLook tells the same to a person that looks, and marks nothing.
func (d *delivery) onLook() (err error) {
	d.nameOthers()
	held, err := d.held()
	if err != nil {
		return err
	}
	d.show(held)
	if d.out.Mail, err = d.inboxOf(d.View, d.by.Agent); err != nil {
		return err
	}
	return errors.Join(d.findHandoffs(false), d.findNotices(func(schemas.Notice) bool { return true }))
}

// onMail delivers what has come since the last delivery.
func (d *delivery) onMail() error {
	if err := errors.Join(d.findHandoffs(true), d.findNotices(d.isNew)); err != nil {
		return err
	}
	d.mark(d.found)
	return nil
}

// onEnd leaves a note with what the session holds, and releases a name under which nothing was done. The session is not
// to be woken any more: the commands that wait for it end. Its claims stay, since a client may come back; they end with
// their leases.
func (d *delivery) onEnd() error {
	if d.delivered.Waits != 0 {
		d.delivered.Waits, d.marked = d.now.UnixNano(), true
		d.wrote = true // so that the calls that wait look again
	}
	return errors.Join(d.leaveNotes("ended"), d.releaseName())
}

// onWake delivers the handoff for which a session is to wake up, or the answer to a question of its own. The newest
// wait of a session ends those before it, so that one mail starts a session once. A session that is at work on
// something is not woken: its next stop tells it. Only the first item is marked, because a woken session sees no more;
// the others are delivered at its next event.
func (d *delivery) onWake() error {
	switch {
	case d.delivered.Waits > d.since:
		d.out.Over = "the session has ended, or a newer command waits for it"
		return nil
	case d.delivered.Waits < d.since:
		d.delivered.Waits, d.marked = d.since, true
		d.wrote = true // so that the waits before it look again
	}
	held, err := d.held()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(held, atWork) {
		d.out.Over = "the session is at work"
		return nil
	}
	answered := func(n schemas.Notice) bool { return d.isNew(n) && n.Kind == string(noticeAnswer) }
	if err := errors.Join(d.findHandoffs(true), d.findNotices(answered)); err != nil {
		return err
	}
	d.markFirst()
	return nil
}

// mostPassed is how many handoffs are passed over that were delivered to a session and that it has not claimed: as
// many as a mailbox holds by default.
const mostPassed = 10_000

// findHandoffs finds what the session may claim, best first. With fresh it passes over what was delivered to the
// session before. It stops after [mostLooked] records, or [mostPassed] that were delivered before, and passes over
// what cannot be read.
func (d *delivery) findHandoffs(fresh bool) error {
	a, err := d.me()
	if err != nil {
		return err
	}
	boxes, err := claimsFrom(d.View, *a, d.orphaned)
	if err != nil {
		return err
	}
	looked, passed := 0, 0
	for id, err := range d.Queue(boxes...) {
		if err != nil || looked == mostLooked || passed == mostPassed {
			return err
		}
		if fresh && d.delivered.Handoffs.Has(uint64(id)) {
			passed++
			continue
		}
		looked++
		r := d.usable(id)
		if r == nil || r.Status != schemas.Pending || !slices.Contains(boxes, r.Box) || !mayTake(r, a.Card, nil) {
			continue
		}
		d.found.Handoffs = append(d.found.Handoffs, id)
		d.name(listing.Item(r))
	}
	return nil
}

// name adds to the result what was found: the first few are named, the others counted.
func (d *delivery) name(it schemas.Item) {
	if len(d.out.New) < newsShown {
		d.out.New = append(d.out.New, it)
	} else {
		d.out.MoreNew++
	}
}

// findNotices finds the unread notices that are wanted, newest first, among the newest thousand.
func (d *delivery) findNotices(wanted func(schemas.Notice) bool) error {
	looked := 0
	for notice, err := range d.UnreadBy(d.by.Agent) {
		if looked++; err != nil || looked > mostLooked {
			return err
		}
		if !wanted(notice) {
			continue
		}
		d.found.Notices = append(d.found.Notices, notice.ID)
		d.name(listing.NoticeItem(notice, true))
	}
	return nil
}

// isNew tells whether a notice was not delivered yet.
func (d *delivery) isNew(notice schemas.Notice) bool {
	return !d.delivered.Notices.Has(uint64(notice.ID))
}

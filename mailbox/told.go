package mailbox

import (
	"slices"
	"time"

	"handoff/schemas"
	"handoff/store"
)

const (
	// toldFor is how long it is remembered what a session was told that does nothing any more.
	toldFor = 7 * 24 * time.Hour

	// renewing is how often it is noted that a session still goes on.
	renewing = 24 * time.Hour

	// mostPassed is how many handoffs are passed over that a session was told of, and has not claimed: as many as a
	// mailbox holds by default.
	mostPassed = 10_000

	// forgotten is how many other sessions are looked at when one is told something, to forget the old ones.
	forgotten = 16
)

// findHandoffs finds what the session may claim, best first. With untold it passes over what the session was told
// before.
func (t *telling) findHandoffs(untold bool) error {
	a, err := t.me()
	if err != nil {
		return err
	}
	boxes, err := claimsFrom(t.View, *a, t.strays)
	if err != nil {
		return err
	}
	looked, passed := 0, 0
	for id, err := range t.Queue(boxes...) {
		if err != nil || looked == scanned || passed == mostPassed {
			return err
		}
		if untold && t.told.Handoffs.Has(uint64(id)) {
			passed++
			continue
		}
		looked++
		r := t.usable(id)
		if r == nil || r.Status != schemas.Pending || !slices.Contains(boxes, r.Box) || !mayTake(r, t.by.Agent, nil) {
			continue
		}
		t.found.Handoffs = append(t.found.Handoffs, id)
		if len(t.out.New) < newsShown {
			t.out.New = append(t.out.New, itemOf(r))
		} else {
			t.out.MoreNew++
		}
	}
	return nil
}

// findNotices finds the unread notices that are wanted, newest first.
func (t *telling) findNotices(wanted func(schemas.Notice) bool) error {
	looked := 0
	for notice, err := range t.UnreadBy(t.by.Agent) {
		if looked++; err != nil || looked > scanned {
			return err
		}
		if !wanted(notice) {
			continue
		}
		t.found.Notices = append(t.found.Notices, notice.ID)
		if len(t.out.New) < newsShown {
			t.out.New = append(t.out.New, itemOfNotice(notice, true))
		} else {
			t.out.MoreNew++
		}
	}
	return nil
}

func anyNotice(schemas.Notice) bool { return true }

func (t *telling) untold(notice schemas.Notice) bool { return !t.told.Notices.Has(uint64(notice.ID)) }

// mark notes that the session was told of what was found.
func (t *telling) mark() { t.say(t.found) }

// markFirst notes that it was told of what it is told first. For the others it is told another time.
func (t *telling) markFirst() {
	if len(t.found.Handoffs) > 0 {
		t.say(schemas.Marks{Handoffs: t.found.Handoffs[:1]})
	} else {
		t.say(schemas.Marks{Notices: t.found.Notices[:min(1, len(t.found.Notices))]})
	}
}

// say marks what was not marked before, and has the answer tell what that is.
func (t *telling) say(m schemas.Marks) {
	var said schemas.Marks
	said.Handoffs = added(&t.told.Handoffs, m.Handoffs)
	said.Notices = added(&t.told.Notices, m.Notices)
	said.Reminded = added(&t.told.Reminded, m.Reminded)
	if len(said.Handoffs)+len(said.Notices)+len(said.Reminded) > 0 {
		t.moved, t.out.Marked = true, &said
	}
}

func added[ID ~uint64](seen *store.Seen, ids []ID) (fresh []ID) {
	for _, id := range ids {
		if seen.Add(uint64(id)) {
			fresh = append(fresh, id)
		}
	}
	return fresh
}

// keep keeps what the session was told, if that is more than before, and else once a day, so that a session which goes
// on is not told again. What sessions were told that are long gone is forgotten meanwhile.
func (t *telling) keep() error {
	used := t.told.At != 0 && t.now.Sub(t.told.At.Time()) >= renewing
	if !t.moved && !used {
		return nil
	}
	t.told.At = store.At(t.now)
	if err := t.tx.PutTold(t.by.Agent, t.in.Session, t.told); err != nil {
		return err
	}
	return t.tx.ForgetTold(t.now.Add(-toldFor), t.by.Agent, t.in.Session, forgotten)
}

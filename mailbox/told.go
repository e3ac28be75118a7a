package mailbox

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

const (
	// toldFor is how long it is remembered what a session was told that does nothing any more.
	toldFor = 7 * 24 * time.Hour

	// renewing is how often it is noted that a session still goes on.
	renewing = 24 * time.Hour

	// forgotten is how many other sessions are looked at when one is told something, to forget the old ones.
	forgotten = 16
)

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
	if err := t.tx.PutDelivered(t.by.Agent, t.in.Session, t.told); err != nil {
		return err
	}
	return t.tx.ForgetDelivered(t.now.Add(-toldFor), t.by.Agent, t.in.Session, forgotten)
}

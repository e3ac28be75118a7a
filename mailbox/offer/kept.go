package offer

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// KeptFrom says which mail an agent does not get now, and why; "" for none. For an agent that is full it reads the
// counters of mailboxes, else what may be claimed soon, or what waits for other handoffs.
func (f Offers) KeptFrom(name schemas.Agent) (string, error) {
	a, err := sessions.Agent(f.View, name)
	if err != nil {
		return "", err
	}
	t := f.taker(a)
	if t.full() || t.err != nil {
		inbox, err := f.Inbox(name)
		if err = cmp.Or(t.err, err); inbox.Pending == 0 || err != nil {
			return "", err
		}
		return Verdict{Reason: Full, Card: a.Card, Held: t.held}.keepsBack(inbox.Pending), nil
	}
	for _, why := range []func() (string, error){t.soon, t.blocked, t.unfit} {
		if text, err := why(); text != "" || err != nil {
			return text, err
		}
	}
	return "", nil
}

// soon says what the agent may claim within a minute and not yet, the first by when: another was told of it first, or it
// rests after an attempt before. It looks at a thousand rows at most of what is due then.
func (t *taker) soon() (string, error) {
	now := t.Here.Now()
	for r, err := range t.pending(t.Due(now.Add(time.Minute))) {
		if err != nil {
			return "", err
		}
		if !t.isIn(r.To) || t.bar(r, Member) != 0 {
			continue
		}
		v := t.verdict(r, Early|Kept)
		if v.Reason == Kept || v.Reason == Early && r.NotBefore == r.Wakes {
			return v.soon(now), nil
		}
	}
	return "", nil
}

// blocked says what is for the agent and waits for other handoffs, the oldest first by what it waits for. It looks at a
// thousand rows at most; where there are more, the number is too low.
func (t *taker) blocked() (string, error) {
	seen, first := map[schemas.ID]bool{}, ""
	for r, err := range t.pending(t.Oldest(store.Dependents(), 0)) {
		if err != nil {
			return "", err
		}
		if t.isIn(r.To) {
			seen[r.ID] = true
			first = cmp.Or(first, Verdict{Reason: Blocked, Record: r}.waits())
		}
	}
	if len(seen) == 0 {
		return "", nil
	}
	return fmt.Sprintf("Blocked for you: %d; %s.", len(seen), first), nil
}

// unfit says what waits in a pool of the agent that is not offered to it, the first, and why: who lists its mail sees it
// there. It looks at a thousand rows at most.
func (t *taker) unfit() (string, error) {
	for r, err := range t.pending(t.View.Queue(roster.Boxes(t.Card)...)) {
		if err != nil {
			return "", err
		}
		if v := t.verdict(r, Unfit); v.Reason != 0 && t.bar(r, Declined) == 0 {
			return v.leavesOut(), nil
		}
	}
	return "", nil
}

// pending yields what is pending among the first thousand handoffs.
func (f Offers) pending(ids iter.Seq2[schemas.ID, error]) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		for r, err := range reading.Records(f.View, reading.AtMost(mostLooked, ids)) {
			if (err != nil || r.Status == schemas.Pending) && !yield(r, err) {
				return
			}
		}
	}
}

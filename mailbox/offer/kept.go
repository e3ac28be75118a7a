package offer

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/listing"
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
	full, held, err := f.Full(a)
	if err != nil {
		return "", err
	}
	if !full {
		first, err := f.soon(a)
		if first != "" || err != nil {
			return first, err
		}
		blocked, err := f.blockedFor(roster.Boxes(a.Card))
		if blocked != "" || err != nil {
			return blocked, err
		}
		return f.unfitFor(a.Card)
	}
	inbox, err := f.Inbox(name)
	if inbox.Pending == 0 || err != nil {
		return "", err
	}
	return fmt.Sprintf("You hold %d and take %d at most, so %d that may be claimed is kept from you.",
		held, a.Card.MaxOpen, inbox.Pending), nil
}

// soon says what the agent may claim within a minute and not yet, the first by when: another was told of it first, or it
// rests after an attempt before. It looks at a thousand rows at most of what is due then.
func (f Offers) soon(a store.Agent) (string, error) {
	now, boxes := f.Here.Now(), roster.Boxes(a.Card)
	for r, err := range f.pending(f.Due(now.Add(time.Minute))) {
		if err != nil {
			return "", err
		}
		if !slices.Contains(boxes, r.To) || !suits(r, a.Card, nil) {
			continue
		}
		left := r.Wakes.Time().Sub(now).Round(time.Second)
		switch {
		case r.Reserved != 0 && r.Box != boxes[0]:
			return fmt.Sprintf("Agent %s was told of %s first: unless it takes it, you may in %s.", r.Box, r.ID, left), nil
		case r.Box == "" && r.NotBefore == r.Wakes:
			return fmt.Sprintf("%s may be claimed in %s.", r.ID, left), nil
		}
	}
	return "", nil
}

// blockedFor says what is for the mailboxes and waits for other handoffs, the oldest first by what it waits for. It
// looks at a thousand rows at most; where there are more, the number is too low.
func (f Offers) blockedFor(boxes []schemas.Address) (string, error) {
	seen, first := map[schemas.ID]bool{}, ""
	for r, err := range f.pending(f.Oldest(store.Dependents(), 0)) {
		if err != nil {
			return "", err
		}
		if slices.Contains(boxes, r.To) {
			seen[r.ID] = true
			first = cmp.Or(first, fmt.Sprintf("%s waits for %s", r.ID, strings.Join(listing.BlockedBy(r), ", ")))
		}
	}
	if len(seen) == 0 {
		return "", nil
	}
	return fmt.Sprintf("Blocked for you: %d; %s.", len(seen), first), nil
}

// unfitFor says what waits in a pool of an agent that is not offered to it, the first, and why: who lists its mail sees
// it there. It looks at a thousand rows at most.
func (f Offers) unfitFor(card schemas.Card) (string, error) {
	for r, err := range f.pending(f.View.Queue(roster.Boxes(card)...)) {
		if err != nil {
			return "", err
		}
		if why := Unfit(r, card); why != "" && !slices.Contains(r.Excluded, card.Name) {
			return fmt.Sprintf("Not offered to you: %s, for %s; %s %s.", r.ID, r.To, card.Name, why), nil
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

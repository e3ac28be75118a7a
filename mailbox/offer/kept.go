package offer

import (
	"cmp"
	"fmt"
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
	now, boxes, looked := f.Here.Now(), roster.Boxes(a.Card), 0
	for id, err := range f.Due(now.Add(time.Minute)) {
		if looked++; err != nil || looked > mostLooked {
			return "", err
		}
		r := reading.Readable(f.View, id)
		if r == nil || r.Status != schemas.Pending || !slices.Contains(boxes, r.To) || !suits(r, a.Card, nil) {
			continue
		}
		left := r.Wakes.Time().Sub(now).Round(time.Second)
		switch {
		case r.Reserved != 0 && r.Box != boxes[0]:
			return fmt.Sprintf("Agent %s was told of %s first: unless it takes it, you may in %s.", r.Box, id, left), nil
		case r.Box == "" && r.NotBefore == r.Wakes:
			return fmt.Sprintf("%s may be claimed in %s.", id, left), nil
		}
	}
	return "", nil
}

// blockedFor says what is for the mailboxes and waits for other handoffs, the oldest first by what it waits for. It
// looks at a thousand rows at most; where there are more, the number is too low.
func (f Offers) blockedFor(boxes []schemas.Address) (string, error) {
	seen, first, looked := map[schemas.ID]bool{}, "", 0
	for id, err := range f.Oldest(store.Dependents(), 0) {
		if looked++; err != nil || looked > mostLooked {
			return "", err
		}
		r := reading.Readable(f.View, id)
		if r == nil || seen[id] || r.Status != schemas.Pending || !slices.Contains(boxes, r.To) {
			continue
		}
		seen[id] = true
		first = cmp.Or(first, fmt.Sprintf("%s waits for %s", id, strings.Join(listing.BlockedBy(r), ", ")))
	}
	if len(seen) == 0 {
		return "", nil
	}
	return fmt.Sprintf("Blocked for you: %d; %s.", len(seen), first), nil
}

// unfitFor says what waits in a pool of an agent that is not offered to it, the first, and why: who lists its mail sees
// it there. It looks at a thousand rows at most.
func (f Offers) unfitFor(card schemas.Card) (string, error) {
	looked := 0
	for id, err := range f.View.Queue(roster.Boxes(card)...) {
		if looked++; err != nil || looked > mostLooked {
			return "", err
		}
		r := reading.Readable(f.View, id)
		if r == nil || r.Status != schemas.Pending || slices.Contains(r.Excluded, card.Name) {
			continue
		}
		if why := Unfit(r, card); why != "" {
			return fmt.Sprintf("Not offered to you: %s, for %s; %s %s.", id, r.To, card.Name, why), nil
		}
	}
	return "", nil
}

package offer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/listing"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// KeptFrom says which mail an agent does not get now, and why; "" for none. For an agent that is full it reads the
// counters of mailboxes, else what waits for other handoffs, see [Offers.blockedFor].
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
		return f.blockedFor(roster.Boxes(a.Card))
	}
	inbox, err := f.Inbox(name)
	if inbox.Pending == 0 || err != nil {
		return "", err
	}
	return fmt.Sprintf("You hold %d and take %d at most, so %d that may be claimed is kept from you.",
		held, a.Card.MaxOpen, inbox.Pending), nil
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

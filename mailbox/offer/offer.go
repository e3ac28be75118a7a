// Package offer says what an agent may take: which handoff and why not another, from which mailboxes, in which order,
// how much there is, and what is kept from it. All of it is read from a snapshot of the store and from who is here;
// nothing is written.
//
// One table has the rules on who may take a handoff. Claims, queues, rankings, refusals and what senders are told ask
// it by [Offers.Verdict], each about the reasons that matter to it, and all sentences are made of the reason that it
// gives.
//
// max_open counts when an agent claims. An agent that holds that many handoffs is offered nothing more from a pool,
// even if it was told first. Work that was sent to its own name it still gets, and the sender is warned. A send names
// the same agents as excluded that a claim excludes.
package offer

import (
	"cmp"
	"iter"
	"slices"

	"handoff/mailbox/compose"
	"handoff/mailbox/names"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Offers is what agents are offered at one moment. It is of use for as long as its snapshot.
type Offers struct {
	*store.View
	Here sessions.Here
}

// Inbox counts by the counters of the mailboxes, so it takes as long with a million handoffs as with ten. Notices
// and what is held are those of the agent's own mailbox alone.
func (f Offers) Inbox(agent schemas.Agent) (in schemas.Inbox, err error) {
	boxes, err := f.Boxes(agent)
	if err != nil {
		return in, err
	}
	for _, box := range boxes {
		m, err := f.Mailbox(box)
		if err != nil {
			return in, err
		}
		in.Pending += m.Pending
		in.Urgent += m.Urgent
		if box == schemas.Address(agent) {
			in.Notices, in.Held = m.Unread, m.Held
			continue
		}
		// What it declined, and reviews of its own work, are for others.
		for r, err := range reading.Records(f.View, reading.AtMost(maxCountedRows, f.View.Queue(box))) {
			if err != nil {
				return in, err
			}
			if slices.Contains(r.Excluded, agent) {
				in.Pending--
				if r.Priority == schemas.High || r.Priority == schemas.Critical {
					in.Urgent--
				}
			}
		}
	}
	return in, nil
}

// maxCountedRows is how many of a pool are looked at one by one for a count.
const maxCountedRows = 10

// Boxes are the mailboxes that an agent may claim from: its own, the pools that it qualifies for, and those in which
// mail waits for siblings that are not here. It does not look at how many the agent holds: an inbox shows what waits,
// also to an agent that takes no more. Its own comes first, and those of siblings last.
func (f Offers) Boxes(name schemas.Agent) ([]schemas.Address, error) {
	a, err := sessions.AgentOrNew(f.View, name)
	if err != nil {
		return nil, err
	}
	t := f.taker(a)
	return append(roster.Boxes(a.Card), t.orphanedBoxes()...), t.err
}

// LongPollBoxes are the mailboxes in whose queues a call of an agent waits for mail that may come: as [Offers.Queue], but with
// those of all siblings that are not here, also without mail.
func (f Offers) LongPollBoxes(a store.Agent) ([]schemas.Address, error) {
	t := f.taker(a)
	return t.claimBoxes(t.absentBoxes), t.err
}

// Queue yields what waits where an agent takes the next, in the order of claiming: in its own mailbox, the pools that
// it qualifies for, and those of siblings that are not here; only what is for it by name while it holds as many as it
// said that it takes. What the agent may not take, with one of the tags, and what read leaves out comes as nil.
func (f Offers) Queue(
	a store.Agent, tags []string, read func(schemas.ID) *store.Record,
) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		t := f.taker(a)
		if t.boxes = t.claimBoxes(t.orphanedBoxes); t.err != nil {
			yield(nil, t.err)
			return
		}
		for id, err := range f.View.Queue(t.boxes...) {
			if err != nil {
				yield(nil, err)
				return
			}
			r := read(id)
			if r != nil && !t.mayTakeNext(r, tags) {
				r = nil
			}
			if !yield(r, t.err) || t.err != nil {
				return
			}
		}
	}
}

// mayTakeNext tells whether the agent takes the next handoff of its queues, with one of the tags.
func (t *taker) mayTakeNext(r *store.Record, tags []string) bool {
	return slices.Contains(t.boxes, r.Box) && compose.HasTag(r.Tags, tags) && t.firstReason(r, Claim) == 0
}

// claimBoxes are the mailboxes from which the agent takes the next, with those that siblings gives.
func (t *taker) claimBoxes(siblings func() []schemas.Address) []schemas.Address {
	if t.isFull() || t.err != nil {
		return []schemas.Address{schemas.Address(t.Card.Name)}
	}
	return append(roster.Boxes(t.Card), siblings()...)
}

// Mail for a session that is not here would lie for ever, because no other session has its name. So while nobody acts
// under a name that was given to a session of a client, mail for that name is orphaned: any other session of the
// client may take it.

// orphanedBoxes are the mailboxes in which something waits for sessions of the agent's client that are not here.
func (t *taker) orphanedBoxes() []schemas.Address {
	return t.filterOrphaned(t.ClaimableBoxes(names.Prefix(t.Client)))
}

// absentBoxes are the mailboxes of all sessions of the agent's client that are not here, with mail or without.
func (t *taker) absentBoxes() []schemas.Address {
	return t.filterOrphaned(func(yield func(schemas.Address, error) bool) {
		if !yield(schemas.Address(t.Client), nil) {
			return
		}
		for other, err := range sessions.NamesOfClient(t.View, t.Client) {
			if other.Card.Name != t.Client && !yield(schemas.Address(other.Card.Name), err) {
				return
			}
		}
	})
}

// filterOrphaned are those mailboxes that are orphaned for the agent, a thousand looked at most. An agent whose name was
// given to no session of a client has no siblings.
func (t *taker) filterOrphaned(all iter.Seq2[schemas.Address, error]) (boxes []schemas.Address) {
	if t.Client == "" {
		return nil
	}
	for box, err := range reading.AtMost(reading.MaxScanned, all) {
		t.err = cmp.Or(t.err, err)
		if t.isOrphaned(box) {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// isOrphaned tells whether a mailbox is that of another session of the agent's client, and that session is not here.
// Pools are never orphaned, nor is the mailbox of an agent of another client.
func (t *taker) isOrphaned(box schemas.Address) bool {
	name, directed := box.Directed()
	if !directed || t.Client == "" || name == t.Card.Name || t.err != nil {
		return false
	}
	other, err := sessions.AgentOrNew(t.View, name)
	t.err = err
	return isSibling(t.Agent, other) && !t.Here.IsInUse(other)
}

// isSibling tells whether an agent has the name of the client of another, or that of a session of the client.
func isSibling(a, other store.Agent) bool {
	return a.Client != "" && (other.Card.Name == a.Client || other.Client == a.Client)
}

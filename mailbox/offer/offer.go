// Package offer decides which handoffs an agent may claim: from which mailboxes, in which order, how many there are,
// and why others are withheld. It reads only a snapshot of the store and the present connections; it writes nothing.
//
// One table holds the rules about who may claim a handoff. Claims, queues, rankings, refusals and warnings for senders
// evaluate it through [Offers.JudgeClaim], each for the reasons that matter to it. All sentences come from the reason
// that the verdict gives.
//
// max_open is checked when an agent claims. An agent that holds that many handoffs is offered nothing more from a pool,
// even if it was told first. It still gets work that was sent to its own name, and the sender is warned. A send names
// the same agents as excluded as a claim excludes.
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

// Offers answers questions about one moment. It is valid as long as its snapshot.
type Offers struct {
	*store.View
	Here sessions.Presence
}

// CountInbox counts by the counters of the mailboxes, so it takes as long with a million handoffs as with ten. Notices
// and held handoffs are counted only in the agent's own mailbox.
func (f Offers) CountInbox(agent schemas.Agent) (in schemas.Inbox, err error) {
	boxes, err := f.AgentBoxes(agent)
	if err != nil {
		return in, err
	}
	for _, box := range boxes {
		m, err := f.Counters(box)
		if err != nil {
			return in, err
		}
		in.Pending += m.Pending
		in.Urgent += m.Urgent
		if box == schemas.Address(agent) {
			in.Notices, in.Held = m.Unread, m.Held
			continue
		}
		// Handoffs that it declined, and reviews of its own work, do not count.
		for r, err := range reading.Records(f.View, reading.AtMost(maxCountedRows, f.View.ClaimableHandoffs(box))) {
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

// maxCountedRows is how many handoffs of a pool Inbox reads one by one.
const maxCountedRows = 10

// AgentBoxes returns the mailboxes that an agent may claim from: its own first, then the pools that it qualifies for,
// then the mailboxes with mail for absent siblings. It ignores how many handoffs the agent holds: an inbox shows
// pending work also to an agent at its limit.
func (f Offers) AgentBoxes(name schemas.Agent) ([]schemas.Address, error) {
	a, err := sessions.AgentOrNew(f.View, name)
	if err != nil {
		return nil, err
	}
	t := f.newClaimJudge(a)
	return append(roster.BoxesForCard(a.Card), t.orphanedBoxes()...), t.err
}

// LongPollBoxes returns the mailboxes in whose lists a long poll of an agent waits. They are those mailboxes that
// [Offers.Queue] reads, and the mailboxes of all absent siblings, also without mail.
func (f Offers) LongPollBoxes(a store.Agent) ([]schemas.Address, error) {
	t := f.newClaimJudge(a)
	return t.claimBoxes(t.absentBoxes), t.err
}

// Queue yields the handoffs that an agent may claim next, in the order of claims: from its own mailbox, the pools that
// it qualifies for, and the mailboxes of absent siblings. An agent at its limit gets only handoffs to its own name.
// Queue yields nil for a handoff that the agent may not claim, that has none of the tags, or that read leaves out.
func (f Offers) Queue(
	a store.Agent, tags []string, read func(schemas.ID) *store.Record,
) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		t := f.newClaimJudge(a)
		if t.boxes = t.claimBoxes(t.orphanedBoxes); t.err != nil {
			yield(nil, t.err)
			return
		}
		for id, err := range f.View.ClaimableHandoffs(t.boxes...) {
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

// mayTakeNext reports whether the agent may claim a handoff of its queue that has one of the tags.
func (t *claimJudge) mayTakeNext(r *store.Record, tags []string) bool {
	return slices.Contains(t.boxes, r.Box) && compose.HasAnyTag(r.Tags, tags) && t.firstReason(r, Claim) == 0
}

// claimBoxes returns the mailboxes that the agent claims from now, with the mailboxes that siblings returns.
func (t *claimJudge) claimBoxes(siblings func() []schemas.Address) []schemas.Address {
	if t.isFull() || t.err != nil {
		return []schemas.Address{schemas.Address(t.Card.Name)}
	}
	return append(roster.BoxesForCard(t.Card), siblings()...)
}

// No other session has the name of a session that is gone, so its mail would stay unclaimed. Therefore, while no
// session uses a name that was given to a session of a client, mail for that name is orphaned: any other session of the
// client may claim it.

// orphanedBoxes returns the mailboxes with claimable mail for absent sessions of the agent's client.
func (t *claimJudge) orphanedBoxes() []schemas.Address {
	return t.filterOrphaned(t.MailboxesWithWork(names.CommonPrefix(t.Client)))
}

// absentBoxes returns the mailboxes of all absent sessions of the agent's client, with mail or without.
func (t *claimJudge) absentBoxes() []schemas.Address {
	return t.filterOrphaned(func(yield func(schemas.Address, error) bool) {
		if !yield(schemas.Address(t.Client), nil) {
			return
		}
		for other, err := range sessions.AgentsOfClient(t.View, t.Client) {
			if other.Card.Name != t.Client && !yield(schemas.Address(other.Card.Name), err) {
				return
			}
		}
	})
}

// filterOrphaned returns the mailboxes that are orphaned for the agent; it checks at most a thousand. An agent whose
// name was given to no session of a client has no siblings.
func (t *claimJudge) filterOrphaned(all iter.Seq2[schemas.Address, error]) (boxes []schemas.Address) {
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

// isOrphaned reports whether a mailbox belongs to another, absent session of the agent's client. Pools are never
// orphaned, nor is the mailbox of an agent of another client.
func (t *claimJudge) isOrphaned(box schemas.Address) bool {
	name, directed := box.Directed()
	if !directed || t.Client == "" || name == t.Card.Name || t.err != nil {
		return false
	}
	other, err := sessions.AgentOrNew(t.View, name)
	t.err = err
	return isSibling(t.Agent, other) && !t.Here.IsNameInUse(other)
}

// isSibling reports whether other has the name of a's client, or a name that was given to a session of that client.
func isSibling(a, other store.Agent) bool {
	return a.Client != "" && (other.Card.Name == a.Client || other.Client == a.Client)
}

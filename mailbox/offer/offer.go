// Package offer decides which handoffs an agent may claim, in which order, and for which reason the agent may not claim
// a handoff. Its functions belong to [Offers], which reads a snapshot of the store and the present connections. Package
// offer writes nothing.
//
// One table holds all rules about claims. [Offers.JudgeClaim] applies the table, and each caller names the reasons to
// check. Claims, queues, refusals and warnings to senders all use the table, so they never contradict each other.
//
// An agent that holds max_open handoffs gets no further handoff from a pool. It still gets handoffs that are addressed
// to its own name.
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

// Offers answers questions about the claims that agents may make at one moment. It is valid only as long as its
// snapshot.
type Offers struct {
	*store.View
	Here sessions.Presence
}

// CountInbox counts the pending handoffs, notices and held handoffs of an agent. It adds up stored counters, so it
// takes the same time however many handoffs there are. It counts notices and held handoffs only in the agent's own
// mailbox.
func (f Offers) CountInbox(agent schemas.Agent) (in schemas.InboxCounts, err error) {
	boxes, fits, err := f.Inbox(agent)
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
		// Subtract pending handoffs that this agent will not get, such as reviews of its own work.
		for r, err := range reading.ReadableRecords(f.View, reading.AtMost(maxCountedRows, f.ClaimableHandoffs(box))) {
			if err != nil {
				return in, err
			}
			if !fits(r) {
				counted := store.CountersOf(r)[0]
				in.Pending -= counted.Pending
				in.Urgent -= counted.Urgent
			}
		}
	}
	return in, nil
}

// maxCountedRows is the number of handoffs in each pool that [Offers.CountInbox] reads to subtract those that do not fit
// the agent. It bounds the reads.
const maxCountedRows = 10

// Inbox returns the mailboxes from which an agent may claim: its own mailbox, its pools, and mailboxes of absent
// siblings (other sessions of the same client) that contain mail. The function fits reports whether a handoff in them is
// for the agent, see [MemberReasons]. Inbox ignores max_open, because an inbox shows pending handoffs even to an agent
// at its limit.
func (f Offers) Inbox(name schemas.Agent) (boxes []schemas.Address, fits func(*store.Record) bool, err error) {
	a, err := sessions.AgentOrNew(f.View, name)
	if err != nil {
		return nil, nil, err
	}
	t := f.newClaimJudge(a)
	boxes = append(roster.BoxesForCard(a.Card), t.orphanedBoxes()...)
	return boxes, func(r *store.Record) bool { return t.firstReason(r, MemberReasons) == 0 }, t.err
}

// LongPollBoxes returns the mailboxes whose new mail wakes a long poll of an agent. In addition to the mailboxes that
// [Offers.Queue] reads, it returns the empty mailboxes of absent siblings, because mail may arrive in them.
func (f Offers) LongPollBoxes(a store.Agent) ([]schemas.Address, error) {
	t := f.newClaimJudge(a)
	return t.claimBoxes(t.absentSiblingBoxes), t.err
}

// Queue yields the handoffs in the agent's mailboxes in the order of claims. It gets the record of each handoff from
// the function read. Queue yields nil in place of a handoff that the agent may not claim, that has none of the tags, or
// for which read returns nil.
func (f Offers) Queue(
	a store.Agent, tags []string, read func(schemas.ID) *store.Record,
) iter.Seq2[*store.Record, error] {
	return func(yield func(*store.Record, error) bool) {
		t := f.newClaimJudge(a)
		if t.boxes = t.claimBoxes(t.orphanedBoxes); t.err != nil {
			yield(nil, t.err)
			return
		}
		for id, err := range f.ClaimableHandoffs(t.boxes...) {
			if err != nil {
				yield(nil, err)
				return
			}
			r := read(id)
			if r != nil && !t.mayClaimWithTags(r, tags) {
				r = nil
			}
			if !yield(r, t.err) || t.err != nil {
				return
			}
		}
	}
}

// mayClaimWithTags reports whether the agent may claim a handoff and the handoff has one of the tags. An empty list of
// tags allows every handoff.
func (t *claimJudge) mayClaimWithTags(r *store.Record, tags []string) bool {
	return slices.Contains(t.boxes, r.Box) && compose.HasAnyTag(r.Tags, tags) && t.firstReason(r, ClaimReasons) == 0
}

// claimBoxes returns the mailboxes from which the agent may claim now. An agent at its limit has only its own mailbox.
// Any other agent also has its pools and the mailboxes that siblings returns.
func (t *claimJudge) claimBoxes(siblings func() []schemas.Address) []schemas.Address {
	if t.isAtLimit() || t.err != nil {
		return []schemas.Address{schemas.Address(t.Card.Name)}
	}
	return append(roster.BoxesForCard(t.Card), siblings()...)
}

// orphanedBoxes returns the orphaned mailboxes that contain claimable mail. A mailbox is orphaned if it belongs to a
// session of the agent's client and no session uses its name now. Any other session of the client may claim its mail,
// because otherwise the mail would stay there.
func (t *claimJudge) orphanedBoxes() []schemas.Address {
	return t.filterOrphanedBoxes(t.MailboxesWithWork(names.CommonPrefix(t.Client)))
}

// absentSiblingBoxes returns the orphaned mailboxes of the agent's client, including empty ones.
func (t *claimJudge) absentSiblingBoxes() []schemas.Address {
	return t.filterOrphanedBoxes(func(yield func(schemas.Address, error) bool) {
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

// filterOrphanedBoxes returns the mailboxes of all that are orphaned for the agent. It checks at most
// [reading.MaxScanned] mailboxes. An agent that chose its own name has no siblings, so the result is nil.
func (t *claimJudge) filterOrphanedBoxes(all iter.Seq2[schemas.Address, error]) (boxes []schemas.Address) {
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

// isOrphaned reports whether a mailbox belongs to an absent sibling of the agent. A pool is never orphaned.
func (t *claimJudge) isOrphaned(box schemas.Address) bool {
	name, directed := box.SingleAgent()
	if !directed || t.Client == "" || name == t.Card.Name || t.err != nil {
		return false
	}
	other, err := sessions.AgentOrNew(t.View, name)
	t.err = err
	return isSibling(t.Agent, other) && !t.Here.IsNameInUse(other)
}

// isSibling reports whether other has the name of a's client, or a name that the server gave to a session of that
// client.
func isSibling(a, other store.Agent) bool {
	return a.Client != "" && (other.Card.Name == a.Client || other.Client == a.Client)
}

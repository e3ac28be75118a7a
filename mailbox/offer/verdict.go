package offer

import (
	"slices"

	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Reason is why an agent may not take a handoff. Several together are a set: a caller of [Offers.Verdict] says which of
// them it asks about.
type Reason uint16

// The reasons, in the order in which [rules] judges them: the first that holds is the verdict.
const (
	Ended     Reason = 1 << iota // the handoff ended
	Held                         // an agent holds it
	Blocked                      // it waits for approval or for other handoffs
	TooEarly                     // it may not be claimed before a time
	Away                         // the agent said that it is away
	Full                         // the agent holds as many as it takes, and the handoff is for any of its pool
	TooLong                      // it is for any of a pool, and the agent works for shorter than the estimate
	WrongType                    // it is for any of a role, and the agent does not accept its type
	Declined                     // the handoff excludes the agent: it declined it, or another is to review what it did
	NotFor                       // the handoff is for others
	Reserved                     // it is kept for another for a time: one that was told of it first, or asked about it
)

// The questions that are asked about an agent and a handoff.
const (
	// Claim: may the agent claim it now? An agent that is away may.
	Claim = Ended | Held | Blocked | TooEarly | Full | Unfit | Declined | NotFor | Reserved

	// Recipient: does the agent play the part [life.Recipient], in whatever state the handoff is? Whoever holds as many
	// as it takes, or is unfit, still does.
	Recipient = Declined | NotFor | Reserved

	// Member: would the agent take it at some time, as one of those to whom it is addressed?
	Member = Unfit | Declined

	// Present is [Member] without those who said that they are away.
	Present = Member | Away

	// Unfit: does the agent leave it to others of the pool whenever it asks, as long as it does not register otherwise?
	Unfit = TooLong | WrongType
)

// Verdict says whether an agent may take a handoff, and else why not, with what a sentence about that needs.
type Verdict struct {
	Reason    Reason // zero where it may
	Card      schemas.Card
	Record    *store.Record
	Held      int  // how many handoffs the agent holds, for Full
	Delivered bool // the agent did what this handoff reviews, for Declined
}

// Verdict judges whether an agent may take a handoff, by the reasons that are asked about; the first of them that holds
// is given. It writes nothing, and reads at most two records of agents, counters or handoffs. The errors are those of
// the store.
func (f Offers) Verdict(a store.Agent, r *store.Record, asked Reason) (Verdict, error) {
	t := f.taker(a)
	v := t.verdict(r, asked)
	return v, t.err
}

// May tells whether an agent may take a handoff, see [Offers.Verdict]; false with an error.
func (f Offers) May(a store.Agent, r *store.Record, asked Reason) (bool, error) {
	t := f.taker(a)
	return t.firstReason(r, asked) == 0, t.err
}

// taker is an agent that is judged, for many handoffs perhaps. What was read of it is read once. The first error of the
// store is kept in err, and from then on it may take nothing.
type taker struct {
	Offers
	store.Agent

	generalists bool              // an agent that accepts anything is in every pool
	boxes       []schemas.Address // that are known to be open to it, those of siblings among them
	counted     bool
	held        int // how many handoffs it holds, once counted
	err         error
}

func (f Offers) taker(a store.Agent) taker { return taker{Offers: f, Agent: a} }

// rules are the rules on who may take a handoff. A rule is asked only where those before it do not hold.
var rules = []struct {
	reason Reason
	holds  func(*taker, *store.Record) bool
}{
	{Ended, func(_ *taker, r *store.Record) bool { return r.Status.Ended() }},
	{Held, func(_ *taker, r *store.Record) bool { return r.Status.Held() }},
	{Blocked, func(_ *taker, r *store.Record) bool { return r.Blocked() }},
	{TooEarly, func(_ *taker, r *store.Record) bool { return r.Box == "" }},
	{Away, func(t *taker, _ *store.Record) bool { return t.Card.Away }},
	{Full, func(t *taker, r *store.Record) bool { return t.asMember(r) && t.isFull() }},
	{TooLong, func(t *taker, r *store.Record) bool { return roster.TooLong(t.Card, r.Estimated()) && t.asMember(r) }},
	{WrongType, func(t *taker, r *store.Record) bool { return roster.RefusesType(t.Card, r.To, r.Type) && t.asMember(r) }},
	{Declined, func(t *taker, r *store.Record) bool { return slices.Contains(r.Excluded, t.Card.Name) }},
	{NotFor, func(t *taker, r *store.Record) bool { return !t.hasReserved(r) && !t.isRecipient(r.To) }},
	{Reserved, func(t *taker, r *store.Record) bool { return r.Reserved != 0 && !t.hasReserved(r) }},
}

// firstReason is the first reason asked about for which the agent may not take a handoff, zero for none.
func (t *taker) firstReason(r *store.Record, asked Reason) Reason {
	for _, rule := range rules {
		if asked&rule.reason != 0 && rule.holds(t, r) || t.err != nil {
			return rule.reason
		}
	}
	return 0
}

// verdict is [taker.firstReason] with what a sentence needs.
func (t *taker) verdict(r *store.Record, asked Reason) Verdict {
	v := Verdict{Card: t.Card, Record: r, Reason: t.firstReason(r, asked)}
	if v.Held = t.held; v.Reason == Declined && r.ReviewOf != 0 {
		done := reading.RecordOrNil(t.View, r.ReviewOf)
		v.Delivered = done != nil && done.Holder == t.Card.Name
	}
	return v
}

// hasReserved tells whether a handoff is kept for the agent, whatever it accepts by now.
func (t *taker) hasReserved(r *store.Record) bool {
	return r.Reserved != 0 && r.Box == schemas.Address(t.Card.Name)
}

// qualifies tells whether an address is the name of the agent, or a pool for which it qualifies.
func (t *taker) qualifies(to schemas.Address) bool {
	return roster.Qualifies(t.Card, to, t.generalists)
}

// isRecipient tells whether what is sent to an address is for the agent: it is in it, or the address is that of a sibling
// that is not here.
func (t *taker) isRecipient(to schemas.Address) bool {
	return t.qualifies(to) || slices.Contains(t.boxes, to) || t.isOrphaned(to)
}

// asMember tells whether a handoff is offered to the agent as to any of its pool, also where it was told first: neither
// by name, nor to go on with it after an answer.
func (t *taker) asMember(r *store.Record) bool {
	_, directed := r.To.Directed()
	return !directed && r.Asker != t.Card.Name && (t.hasReserved(r) || t.qualifies(r.To))
}

// isFull tells whether the agent holds as many as it said that it takes. One that named no number is never full. It reads
// the counters of one mailbox, once.
func (t *taker) isFull() bool {
	if t.Card.MaxOpen == 0 {
		return false
	}
	if !t.counted {
		m, err := t.Mailbox(schemas.Address(t.Card.Name))
		t.counted, t.held, t.err = true, m.Held, err
	}
	return t.held >= t.Card.MaxOpen
}

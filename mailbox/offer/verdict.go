package offer

import (
	"slices"

	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Reason is the reason why an agent may not claim a handoff. Several reasons can be combined with |, to name the
// reasons that [Offers.JudgeClaim] checks.
type Reason uint16

// The reasons are in the order of the table [rules]. The first reason that holds is the verdict.
const (
	Ended        Reason = 1 << iota // the handoff ended
	Held                            // an agent holds it
	Blocked                         // it waits for approval or has open dependencies
	TooEarly                        // it may not be claimed before a time
	Away                            // the agent said that it is away
	Full                            // the agent is at its limit, and the handoff is for its pool
	TooLong                         // it is for a pool, and its estimate exceeds the agent's longest session
	WrongType                       // it is for a role, and the agent does not accept its type
	Unskilled                       // it is for a pool, and the agent has none of the skills that it requires
	WrongProduct                    // it is for a pool, and others produce what it asks for, or the agent sent it
	Declined                        // the handoff excludes the agent: it declined it, or may not review its own work
	NotRecipient                    // the handoff is for others
	Reserved                        // it is reserved for another agent, which was told first or asked about it
)

// Sets of reasons for the usual questions.
const (
	// ClaimReasons has the reasons for which an agent may not claim a handoff now. Away is not among them: an agent
	// that is away may still claim.
	ClaimReasons = Ended | Held | Blocked | TooEarly | Full | Unfit | Declined | NotRecipient | Reserved

	// RecipientReasons has the reasons for which an agent is no recipient ([life.Recipient]) of a handoff. They do not
	// depend on the state of the handoff.
	RecipientReasons = Declined | NotRecipient | Reserved

	// MemberReasons has the reasons for which an addressed agent will not claim the handoff later either.
	MemberReasons = Unfit | Declined

	// PresentMemberReasons has the reasons of [MemberReasons], and [Away] in addition.
	PresentMemberReasons = MemberReasons | Away

	// Unfit has the reasons for which an agent leaves a handoff to other members of its pool, until the agent registers
	// again.
	Unfit = TooLong | WrongType | Unskilled | WrongProduct
)

// Verdict says whether an agent may claim a handoff. If the agent may not, it holds the reason, and the facts for an
// error or a warning about it.
type Verdict struct {
	Reason          Reason // zero if it may
	Card            schemas.Card
	Record          *store.Record
	Held            int  // how many handoffs the agent holds, for Full
	DidReviewedWork bool // the agent did the work that this handoff reviews, for Declined
}

// JudgeClaim judges whether an agent may claim a handoff. It checks only the asked reasons, and returns the first that
// holds. With an error, the verdict has a reason too. It reads at most two rows of the store. All errors come from the
// store.
func (f Offers) JudgeClaim(a store.Agent, r *store.Record, asked Reason) (Verdict, error) {
	t := f.newClaimJudge(a)
	v := t.verdict(r, asked)
	return v, t.err
}

// claimJudge judges whether one agent may claim handoffs. It may judge many handoffs, and reads each row about the
// agent only once. It keeps the first error of the store in err, and after an error the agent may claim nothing.
type claimJudge struct {
	Offers
	store.Agent

	generalists bool              // an agent that accepts anything is in every pool
	boxes       []schemas.Address // mailboxes that it may claim from, its siblings' among them
	counted     bool
	held        int // how many handoffs it holds, if counted
	err         error
}

func (f Offers) newClaimJudge(a store.Agent) claimJudge { return claimJudge{Offers: f, Agent: a} }

// rules is the table of the rules about claims. A rule is evaluated only if no earlier rule holds.
var rules = []struct {
	reason Reason
	holds  func(*claimJudge, *store.Record) bool
}{
	{Ended, func(_ *claimJudge, r *store.Record) bool { return r.Status.HasEnded() }},
	{Held, func(_ *claimJudge, r *store.Record) bool { return r.Status.IsHeld() }},
	{Blocked, func(_ *claimJudge, r *store.Record) bool { return r.IsBlocked() }},
	{TooEarly, func(_ *claimJudge, r *store.Record) bool { return r.Box == "" }},
	{Away, func(t *claimJudge, _ *store.Record) bool { return t.Card.Away }},
	{Full, func(t *claimJudge, r *store.Record) bool { return t.isOfferedAsMember(r) && t.isAtLimit() }},
	{TooLong, func(t *claimJudge, r *store.Record) bool {
		return roster.ExceedsLongestSession(t.Card, r.EstimatedDuration()) && t.isOfferedAsMember(r)
	}},
	{WrongType, func(t *claimJudge, r *store.Record) bool {
		return roster.RefusesTypeForRole(t.Card, r.To, r.Type) && t.isOfferedAsMember(r)
	}},
	{Unskilled, func(t *claimJudge, r *store.Record) bool {
		return roster.LacksSkills(t.Card, r.To, r.Requires) && t.isOfferedAsMember(r)
	}},
	{WrongProduct, func(t *claimJudge, r *store.Record) bool { return t.isOfferedAsMember(r) && t.isWrongProduct(r) }},
	{Declined, func(t *claimJudge, r *store.Record) bool { return slices.Contains(r.Excluded, t.Card.Name) }},
	{NotRecipient, func(t *claimJudge, r *store.Record) bool { return !t.isReservedForAgent(r) && !t.isRecipient(r.To) }},
	{Reserved, func(t *claimJudge, r *store.Record) bool { return r.Reserved != 0 && !t.isReservedForAgent(r) }},
}

// firstReason returns the first asked reason that holds, or zero if none holds.
func (t *claimJudge) firstReason(r *store.Record, asked Reason) Reason {
	for _, rule := range rules {
		if asked&rule.reason != 0 && rule.holds(t, r) || t.err != nil {
			return rule.reason
		}
	}
	return 0
}

// verdict returns the result of [claimJudge.firstReason], with the facts for a sentence about it.
func (t *claimJudge) verdict(r *store.Record, asked Reason) Verdict {
	v := Verdict{Card: t.Card, Record: r, Reason: t.firstReason(r, asked)}
	if v.Held = t.held; v.Reason == Declined && r.ReviewOf != 0 {
		done := reading.RecordOrNil(t.View, r.ReviewOf)
		v.DidReviewedWork = done != nil && done.Holder == t.Card.Name
	}
	return v
}

// isReservedForAgent reports whether a handoff is reserved for the agent, even if the agent no longer accepts work of
// this type.
func (t *claimJudge) isReservedForAgent(r *store.Record) bool {
	return r.Reserved != 0 && r.Box == schemas.Address(t.Card.Name)
}

// isNameOrPool reports whether an address is the agent's name or a pool of the agent.
func (t *claimJudge) isNameOrPool(to schemas.Address) bool {
	return roster.Qualifies(t.Card, to, t.generalists)
}

// isRecipient reports whether the agent may take work that is sent to an address: the agent's name, a pool of the
// agent, or an absent sibling.
func (t *claimJudge) isRecipient(to schemas.Address) bool {
	return t.isNameOrPool(to) || slices.Contains(t.boxes, to) || t.isOrphaned(to)
}

// isOfferedAsMember reports whether the agent is offered a handoff as a member of a pool. It returns false for a
// handoff that is addressed to an agent's name, and for a handoff that the agent continues after an answer.
func (t *claimJudge) isOfferedAsMember(r *store.Record) bool {
	_, directed := r.To.SingleAgent()
	return !directed && r.Asker != t.Card.Name && (t.isReservedForAgent(r) || t.isNameOrPool(r.To))
}

// isWrongProduct reports whether a handoff for a pool of the agent is not for the agent. There are two cases. The agent
// declared its products, none of them is asked for, and another agent of the pool that fits produces one that is. Or
// the agent sent the handoff itself, and is in the pool only because it produces the capability.
func (t *claimJudge) isWrongProduct(r *store.Record) bool {
	_, name := r.To.Split()
	if r.From == t.Card.Name && slices.Contains(t.Card.Produces, name) && !slices.Contains(t.Card.Accepts, name) {
		return true
	}
	if !roster.ProducesOther(t.Card, r.Products) {
		return false
	}
	for other, err := range t.AddressedAgents(r.To) {
		if t.err = err; err != nil || roster.Produces(other.Card, r.Products) && mayTakeInstead(other.Card, r) {
			return true
		}
	}
	return false
}

// mayTakeInstead reports whether another agent of the pool fits the handoff in all but its products.
func mayTakeInstead(card schemas.Card, r *store.Record) bool {
	unfit := roster.ExceedsLongestSession(card, r.EstimatedDuration()) || roster.RefusesTypeForRole(card, r.To, r.Type) || roster.LacksSkills(card, r.To, r.Requires)
	return !unfit && !card.Away && card.Name != r.From && !slices.Contains(r.Excluded, card.Name)
}

// isAtLimit reports whether the agent holds as many handoffs as its registration allows. An agent without a limit is
// never at its limit.
func (t *claimJudge) isAtLimit() bool {
	if t.Card.MaxOpen == 0 {
		return false
	}
	if !t.counted {
		m, err := t.Counters(schemas.Address(t.Card.Name))
		t.counted, t.held, t.err = true, m.Held, err
	}
	return t.held >= t.Card.MaxOpen
}

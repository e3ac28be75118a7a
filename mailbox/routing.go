package mailbox

import (
	"fmt"
	"slices"
	"time"

	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Work for a pool is told to one agent first, the best of those that are here with nothing to do: for a minute it waits
// in the mailbox of that one alone. Where that one rejects it, lets its claim lapse or is silent, the next is told, and
// after three any that qualifies may claim from the pool. Where nobody is here and idle the pool is open at once: nobody
// waits a minute for an agent that is busy. Skills come before waiting, so a better agent that does not claim costs the
// others a minute at most.
const (
	firstOfferFor = time.Minute
	maxToldFirst  = 3
)

// tellFirst chooses who is told first of a handoff that comes to its pool with a change, and keeps the handoff for that
// one. It is a rule before each change, so no action has to think of it.
//
// A handoff that waits in its pool already stays there, and one that goes to another pool begins anew. Of a new one it
// remembers who could take it, which the result of a send says.
func (o *op) tellFirst(h *operation.Happening) error {
	was, now := h.Was, h.Now
	if was == nil || was.To != now.To {
		now.Told = nil
	} else if was.Claimable() && was.Box == was.To {
		return nil
	}
	if len(now.Told) == maxToldFirst {
		return nil
	}
	ranked, routed, err := o.rankCandidates(o.View, now)
	if err != nil {
		return err
	}
	if first := o.Offers().FirstToTell(ranked, now, o.By.Agent); first != "" {
		o.reserveFor(now, first)
		routed.Chosen, routed.Until = first, now.Reserved.Time()
	}
	if was == nil {
		o.routed = routed
	}
	return nil
}

// tellNamed keeps work that somebody declined for the agent that this one named, for as long as for anybody who is told
// first, where that one may have it. Else [op.tellFirst] chooses.
func (o *op) tellNamed(r *store.Record, named schemas.Agent) error {
	to, err := o.alternative(r, named)
	if to == nil || err != nil || !r.Claimable() || len(r.Told) == maxToldFirst || slices.Contains(r.Told, named) {
		return err
	}
	may, err := o.Offers().May(*to, r, offer.NotFor)
	if may {
		o.reserveFor(r, named)
	}
	return err
}

// reserveFor keeps work of a pool for the agent that is told first.
func (o *op) reserveFor(r *store.Record, first schemas.Agent) {
	r.Box, r.Reserved, r.Told = schemas.Address(first), store.At(o.Now.Add(firstOfferFor)), append(r.Told, first)
}

// rankCandidates ranks those who could take a handoff now, see [offer.Offers.Candidates].
func (e *env) rankCandidates(v *store.View, r *store.Record) (ranked []*schemas.Card, routed *schemas.Routed, err error) {
	cards, err := e.cardsOf(v, v.AgentsMentioning(roster.PoolWords(r.To, r.NoTakers == "generalist")...))
	if err != nil {
		return nil, nil, err
	}
	ranked, routed = e.offers(v).Candidates(cards, r)
	return ranked, routed, nil
}

// addCandidates adds to where a handoff stands that nobody claimed yet who could take it now, and why others could not.
func (s *Service) addCandidates(v *store.View, r *store.Record, out *schemas.GetOut) error {
	if r.To == schemas.Address(schemas.Human) || !r.Claimable() || out.Standing == nil {
		return nil
	}
	ranked, routed, err := s.rankCandidates(v, r)
	switch {
	case err != nil:
		return err
	case len(ranked)+len(routed.Excluded) > 0:
		routed.Candidates = slices.DeleteFunc(routed.Candidates, func(c schemas.Candidate) bool {
			return slices.Contains(r.Excluded, c.Agent)
		})
		if out.Routed = routed; operation.ToldFirst(r) {
			routed.Chosen, routed.Until = schemas.Agent(r.Box), r.Reserved.Time()
		}
	case out.Standing.Reason == "" && !s.here.IsActing(schemas.Agent(r.To)):
		out.Standing.Reason = fmt.Sprintf("nobody who was here so far may claim as %s", r.To)
	}
	return nil
}

// hasOtherCandidates tells whether another agent than the given one may claim from the pool that r waits in. Only agents
// that are registered count, and those that declined it do not. Whether they are here or have room is not asked: the
// work waits. Nobody is left for what was sent to one name.
func (o *op) hasOtherCandidates(r *store.Record, without schemas.Agent) (bool, error) {
	if _, directed := r.To.Directed(); directed {
		return false, nil
	}
	left := r.Clone()
	left.Excluded = append(left.Excluded, without)
	why, err := o.Offers().WhyNoTaker(&left, offer.Member)
	return why == "" && err == nil, err
}

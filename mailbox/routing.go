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

// The server offers work of a pool to one agent first, the best connected agent without work: for a minute the work
// waits in the mailbox of that agent alone. If that agent rejects it, lets its claim lapse or does not claim it, the
// next agent gets it first. After three agents every agent that qualifies may claim from the pool. If no agent is
// connected and idle, the pool is open at once: the work does not wait for a busy agent. Skill ranks before waiting
// time, so a better agent that does not claim costs the others a minute at most.
const (
	firstOfferFor = time.Minute
	maxToldFirst  = 3
)

// tellFirst chooses the agent that is told first of a handoff when a change puts it into its pool, and reserves the
// handoff for that agent. It is a hook before each change, so no action has to call it.
//
// A handoff that waits in its pool already stays there. A handoff that goes to another pool begins anew. For a new
// handoff it keeps the candidates, which the result of the send lists.
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

// tellNamed reserves declined work for the agent that the declining agent named, as long as for an agent that is told
// first, if that agent may have it. Otherwise [op.tellFirst] chooses.
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

// reserveFor reserves work of a pool for the agent that is told first.
func (o *op) reserveFor(r *store.Record, first schemas.Agent) {
	r.Box, r.Reserved, r.Told = schemas.Address(first), store.At(o.Now.Add(firstOfferFor)), append(r.Told, first)
}

// rankCandidates ranks the agents that could take a handoff now, see [offer.Offers.Candidates].
func (e *env) rankCandidates(v *store.View, r *store.Record) (ranked []*schemas.Card, routed *schemas.Routed, err error) {
	cards, err := e.cardsOf(v, v.AgentsMentioning(roster.PoolWords(r.To, r.NoTakers == "generalist")...))
	if err != nil {
		return nil, nil, err
	}
	ranked, routed = e.offers(v).Candidates(cards, r)
	return ranked, routed, nil
}

// addCandidates adds to the state of a claimable handoff the agents that could take it now, and the reasons why others
// could not.
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

// hasOtherCandidates tells whether another agent than the given one may claim from the pool of r. It counts registered
// agents that did not decline the handoff. They need not be connected or have room, since the work waits. It returns
// false for a handoff to a single agent.
func (o *op) hasOtherCandidates(r *store.Record, without schemas.Agent) (bool, error) {
	if _, directed := r.To.Directed(); directed {
		return false, nil
	}
	left := r.Clone()
	left.Excluded = append(left.Excluded, without)
	why, err := o.Offers().WhyNoTaker(&left, offer.Member)
	return why == "" && err == nil, err
}

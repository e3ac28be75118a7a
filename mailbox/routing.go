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

// The server offers work of a pool to one agent first, for a minute: to the best connected agent without work. If that
// agent rejects the work, loses its claim or does not claim, the next best agent is offered the work in the same way.
// After three agents, every agent that qualifies may claim. If no agent is connected and without work, every agent may
// claim at once, because the work should not wait for a busy agent.
const (
	firstOfferFor = time.Minute
	maxToldFirst  = 3
)

// offerToOneAgentFirst is a hook that runs before each change that puts a handoff into its pool. It chooses the agent
// that is offered the handoff first, and reserves the handoff for that agent. For a handoff that goes to another pool,
// it forgets the earlier offers. For a new handoff, it keeps the candidates for the result of the send.
func (o *op) offerToOneAgentFirst(h *operation.RecordChange) error {
	was, now := h.Was, h.Now
	if _, directed := now.To.SingleAgent(); directed || !now.IsClaimable() || now.Box != now.To {
		return nil
	}
	if was == nil || was.To != now.To {
		now.Told = nil
	} else if was.IsClaimable() && was.Box == was.To {
		return nil
	}
	if len(now.Told) == maxToldFirst {
		return nil
	}
	ranked, routed, err := o.rankCandidates(o.View, now)
	if err != nil {
		return err
	}
	if first := o.Offers().AgentToTellFirst(ranked, now, o.By.Agent); first != "" {
		o.reserveFor(now, first)
		routed.Chosen, routed.Until = first, now.Reserved.Time()
	}
	if was == nil {
		o.routed = routed
	}
	return nil
}

// offerToNamedAgentFirst reserves declined work for the agent that the declining agent named, for a minute. If the
// named agent may not have the work, it returns the reason, and [op.offerToOneAgentFirst] chooses another agent.
func (o *op) offerToNamedAgentFirst(r *store.Record, named schemas.Agent) (refused string, err error) {
	to, refused, err := o.acceptableAlternative(r, named)
	if to == nil || err != nil || !r.IsClaimable() || len(r.Told) == maxToldFirst || slices.Contains(r.Told, named) {
		return refused, err
	}
	if v, err := o.Offers().JudgeClaim(*to, r, offer.NotRecipient); v.Reason != 0 {
		return fmt.Sprintf("%s may not take it now", named), err
	}
	o.reserveFor(r, named)
	return "", nil
}

// reserveFor reserves work of a pool for one agent. For a minute only that agent may claim the work.
func (o *op) reserveFor(r *store.Record, first schemas.Agent) {
	r.Box, r.Reserved, r.Told = schemas.Address(first), store.TimeOf(o.Now.Add(firstOfferFor)), append(r.Told, first)
}

// rankCandidates ranks the agents that could take a handoff now, see [offer.Offers.RankCandidates].
func (e *env) rankCandidates(v *store.View, r *store.Record) (ranked []*schemas.Card, routed *schemas.RoutingResult, err error) {
	cards, err := e.cardsOf(v, v.AgentsMentioning(roster.PoolSearchWords(r.To, r.NoTakers == "generalist")...))
	if err != nil {
		return nil, nil, err
	}
	ranked, routed = e.offers(v).RankCandidates(cards, r)
	return ranked, routed, nil
}

// addCandidates adds to the result of a Get the agents that could take a claimable handoff now, and the reasons why
// other agents could not.
func (s *Service) addCandidates(v *store.View, r *store.Record, out *schemas.GetOut) error {
	if r.To == schemas.Address(schemas.Human) || !r.IsClaimable() || out.Standing == nil {
		return nil
	}
	ranked, routed, err := s.rankCandidates(v, r)
	switch {
	case err != nil:
		return err
	case len(ranked)+len(routed.Excluded) > 0:
		routed.Candidates = slices.DeleteFunc(routed.Candidates, func(c schemas.RoutingCandidate) bool {
			return slices.Contains(r.Excluded, c.Agent)
		})
		if out.Routed = routed; operation.IsReservedForFirstNotified(r) {
			routed.Chosen, routed.Until = schemas.Agent(r.Box), r.Reserved.Time()
		}
	case out.Standing.Reason == "" && !s.here.IsActing(schemas.Agent(r.To)):
		out.Standing.Reason, err = s.offers(v).NoTakerReason(r, offer.MemberReasons)
		return err
	}
	return nil
}

// hasOtherCandidates reports whether another agent than the given agent may claim from the pool of r. It counts
// registered agents that did not decline the handoff. An agent that is busy or not connected counts, because the work
// can wait. For a handoff to a single agent the result is false.
func (o *op) hasOtherCandidates(r *store.Record, without schemas.Agent) (bool, error) {
	if _, directed := r.To.SingleAgent(); directed {
		return false, nil
	}
	left := r.Clone()
	left.Excluded = append(left.Excluded, without)
	why, err := o.Offers().NoTakerReason(&left, offer.MemberReasons)
	return why == "" && err == nil, err
}

package reading

import (
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// defaultEstimate is the duration of work for a role whose agents declare no longest session.
const defaultEstimate = 120 // minutes

// assumeEstimate writes into the message how long the work of a role is assumed to take, if the sender gave no
// estimate. The assumption is only for readers: leases and offers do not use it.
func assumeEstimate(v *store.View, r *store.Record, h *schemas.Handoff) error {
	if r.Estimate != 0 {
		return nil
	}
	minutes, err := assumedMinutes(v, r)
	if minutes > 0 {
		e := schemas.ValueOrZero(h.Expectations)
		e.EstimatedDuration = schemas.CountNoun(minutes, "minute") + ", assumed because nobody gave an estimate"
		h.Expectations = &e
	}
	return err
}

// assumedMinutes returns the longest session of the agent that holds or gets the work, or else of all agents of the
// role. If they declare none, it returns [defaultEstimate] for the work of a role, and 0 for other work.
func assumedMinutes(v *store.View, r *store.Record) (minutes int, err error) {
	name, directed := r.To.SingleAgent()
	if r.Holder != "" {
		name, directed = r.Holder, true
	}
	kind, _ := r.To.Split()
	ofRole := kind == "role" || r.Role != ""
	if directed {
		a, err := v.Agent(name)
		card := schemas.ValueOrZero(a).Card
		if card.MaxMinutes > 0 || err != nil {
			return card.MaxMinutes, err
		}
		ofRole = ofRole || card.Role != ""
	} else if ofRole {
		for a, err := range v.AgentsMentioning(roster.PoolSearchWords(r.To, false)...) {
			if err != nil {
				return 0, err
			}
			if roster.Qualifies(a.Card, r.To, false) {
				minutes = max(minutes, a.Card.MaxMinutes)
			}
		}
	}
	if ofRole && minutes == 0 {
		minutes = defaultEstimate
	}
	return minutes, nil
}

package offer

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// AddressedAgents yields the known agents behind an address: the agent of that name, or else the sessions of the client
// of that name, or the members of the pool. It yields nothing for human.
func (f Offers) AddressedAgents(to schemas.Address) iter.Seq2[store.Agent, error] {
	name, directed := to.Directed()
	if !directed {
		return func(yield func(store.Agent, error) bool) {
			for a, err := range f.AgentsMentioning(roster.PoolSearchWords(to, false)...) {
				if (err != nil || slices.Contains(roster.BoxesForCard(a.Card), to)) && !yield(a, err) {
					return
				}
			}
		}
	}
	return func(yield func(store.Agent, error) bool) {
		switch a, err := f.Agent(name); {
		case a != nil || err != nil:
			yield(schemas.OrZero(a), err)
		case f.Here.IsActing(name):
			yield(store.Agent{Card: schemas.Card{Name: name}}, nil)
		default:
			sessions.AgentsOfClient(f.View, name)(yield)
		}
	}
}

// NoTakerReason says why none of the addressed agents takes a handoff unless it registers otherwise; "" if one takes
// it, even if that agent is absent or busy. asked is [Member], or [Present] if agents that are away do not count. A
// reservation for one of the agents does not matter.
func (f Offers) NoTakerReason(r *store.Record, asked Reason) (why string, err error) {
	if r.To == schemas.Address(schemas.Human) {
		return "", nil
	}
	var reasons []Verdict
	for a, err := range f.AddressedAgents(r.To) {
		t := f.newClaimJudge(a)
		var v Verdict
		for _, one := range []Reason{Declined, Unfit, Away} { // the longest lasting reason comes first
			if v = t.verdict(r, asked&one); v.Reason != 0 {
				break
			}
		}
		if err = cmp.Or(err, t.err); v.Reason == 0 || err != nil {
			return "", err
		}
		reasons = append(reasons, v)
	}
	return noTakerText(r.To, reasons), nil
}

// KnownAgent is a known agent; Here reports whether a session uses its name now.
type KnownAgent struct {
	store.Agent
	Here bool
}

// NoPresentTakerText says that no present agent among the known ones takes work for an address; "" if one does. It
// ignores how many handoffs an agent holds: an agent at its limit takes the next one later.
func NoPresentTakerText(known []KnownAgent, to schemas.Address) string {
	name, directed := to.Directed()
	owner := store.Agent{Card: schemas.Card{Name: name}}
	if i := slices.IndexFunc(known, func(k KnownAgent) bool { return k.Card.Name == name }); i >= 0 {
		owner = known[i].Agent
	}
	for _, k := range known {
		takes := roster.Qualifies(k.Card, to, false) && (directed || !k.Card.Away)
		if k.Here && (takes || directed && isSibling(k.Agent, owner)) {
			return ""
		}
	}
	if directed {
		return fmt.Sprintf("%s is not here", name)
	}
	return fmt.Sprintf("nobody who takes %s is here", to)
}

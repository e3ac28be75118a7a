package offer

import (
	"iter"
	"slices"

	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Addressees yields the agents for whom work sent to an address is, as far as they are known: the agent of the name, or
// the sessions of the client of the name, or the members of the pool. Nobody is yielded for human.
func (f Offers) Addressees(to schemas.Address) iter.Seq2[store.Agent, error] {
	name, directed := to.Directed()
	if !directed {
		return func(yield func(store.Agent, error) bool) {
			for a, err := range f.AgentsSaying(roster.Words(to, false)...) {
				if (err != nil || slices.Contains(roster.Boxes(a.Card), to)) && !yield(a, err) {
					return
				}
			}
		}
	}
	return func(yield func(store.Agent, error) bool) {
		switch a, err := f.Agent(name); {
		case a != nil || err != nil:
			yield(schemas.OrZero(a), err)
		case f.Here.Acting(name):
			yield(store.Agent{Card: schemas.Card{Name: name}}, nil)
		default:
			sessions.Of(f.View, name)(yield)
		}
	}
}

// Nobody says why none of those for whom a handoff is takes it, as long as they say of themselves what they say now; ""
// where one does, whether it is here or busy or not. Away tells whether one that is away counts as one that takes it.
// For how long the handoff is kept for one of them first does not matter.
func (f Offers) Nobody(r *store.Record, away bool) (why string, err error) {
	if r.To == schemas.Address(schemas.Human) {
		return "", nil
	}
	asked := Member
	if !away {
		asked |= Away
	}
	var reasons []Verdict
	for a, err := range f.Addressees(r.To) {
		if err != nil {
			return "", err
		}
		v, err := f.Verdict(a, r, asked)
		if v.Reason == 0 || err != nil {
			return "", err
		}
		reasons = append(reasons, v)
	}
	return nobodyTakes(r.To, reasons), nil
}

// Warnings tell a sender of an agent that it names and that takes the work, but perhaps not soon: it is away, or holds
// as many as it said that it takes.
func (f Offers) Warnings(a store.Agent) (warnings []string, err error) {
	t := f.taker(a)
	if a.Card.Away {
		warnings = append(warnings, Verdict{Reason: Away, Card: a.Card}.warning())
	}
	if t.full() {
		warnings = append(warnings, Verdict{Reason: Full, Card: a.Card, Held: t.held}.warning())
	}
	return warnings, t.err
}

// Known is an agent that is known, and whether somebody acts under its name as far as anybody knows.
type Known struct {
	store.Agent
	Here bool
}

// NobodyHere says that of the agents that are known nobody is here who takes what is sent to an address; "" where
// somebody is. It does not look at how many an agent holds: one that is full takes the next when it is done.
func NobodyHere(known []Known, to schemas.Address) string {
	name, directed := to.Directed()
	owner := store.Agent{Card: schemas.Card{Name: name}}
	if i := slices.IndexFunc(known, func(k Known) bool { return k.Card.Name == name }); i >= 0 {
		owner = known[i].Agent
	}
	for _, k := range known {
		takes := roster.Qualifies(k.Card, to, false) && (directed || !k.Card.Away)
		if k.Here && (takes || directed && isSibling(k.Agent, owner)) {
			return ""
		}
	}
	return nobodyIsHere(to)
}

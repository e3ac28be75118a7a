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

// Addressees yields the agents for whom work sent to an address is, as far as they are known: the agent of the name, or
// the sessions of the client of the name, or the members of the pool. Nobody is yielded for human.
func (f Offers) Addressees(to schemas.Address) iter.Seq2[store.Agent, error] {
	name, directed := to.Directed()
	if !directed {
		return func(yield func(store.Agent, error) bool) {
			for a, err := range f.AgentsMentioning(roster.PoolWords(to, false)...) {
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
		case f.Here.IsActing(name):
			yield(store.Agent{Card: schemas.Card{Name: name}}, nil)
		default:
			sessions.NamesOfClient(f.View, name)(yield)
		}
	}
}

// WhyNoTaker says why none of those for whom a handoff is takes it, as long as they say of themselves what they say now; ""
// where one does, whether it is here or busy or not. It asks about [Member], or [Present] where one that is away does
// not count as one that takes it. For how long the handoff is kept for one of them first does not matter.
func (f Offers) WhyNoTaker(r *store.Record, asked Reason) (why string, err error) {
	if r.To == schemas.Address(schemas.Human) {
		return "", nil
	}
	var reasons []Verdict
	for a, err := range f.Addressees(r.To) {
		t := f.taker(a)
		var v Verdict
		for _, one := range []Reason{Declined, Unfit, Away} { // what lasts longest is said first
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

// KnownAgent is an agent that is known, and whether somebody acts under its name as far as anybody knows.
type KnownAgent struct {
	store.Agent
	Here bool
}

// NoTakerHere says that of the agents that are known nobody is here who takes what is sent to an address; "" where
// somebody is. It does not look at how many an agent holds: one that is full takes the next when it is done.
func NoTakerHere(known []KnownAgent, to schemas.Address) string {
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

package offer

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"handoff/mailbox/reading"
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
	var reasons []string
	for a, err := range f.Addressees(r.To) {
		bar := f.Bar(r, a.Card)
		if a.Card.Away && !away && bar == "" {
			bar = "is away"
		}
		if bar == "" || err != nil {
			return "", err
		}
		reasons = append(reasons, fmt.Sprintf("%s %s", a.Card.Name, bar))
	}
	switch name, directed := r.To.Directed(); {
	case len(reasons) > 0:
		const most = 5
		return fmt.Sprintf("nobody takes it from %s now: %s", r.To, strings.Join(reasons[:min(len(reasons), most)], ", ")), nil
	case directed:
		return fmt.Sprintf("nobody has come as %s yet", name), nil
	}
	return fmt.Sprintf("nobody is known who takes %s", r.To), nil
}

// Bar says why an agent to whose mailboxes the address of a handoff belongs may not take it: it is excluded, or unfit;
// "" for one that may. Away, busy and who is told first are not asked.
func (f Offers) Bar(r *store.Record, card schemas.Card) string {
	if !slices.Contains(r.Excluded, card.Name) {
		return Unfit(r, card)
	}
	done := reading.Readable(f.View, r.Reviews)
	switch {
	case done != nil && done.Holder == card.Name:
		return fmt.Sprintf("delivered %s, and another reviews that", r.Reviews)
	case r.ID == 0 && r.Type == schemas.TypeReview: // of work that is yet to be done
		return "may be the one who does the work"
	}
	return "declined it"
}

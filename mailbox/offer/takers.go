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

// AddressedAgents yields the known agents for an address. For a pool, it yields the members. For a name, it yields the
// agent with that name. If there is none, the name may be the name of a client: then it yields the sessions of this
// client. It yields nothing for human.
func (f Offers) AddressedAgents(to schemas.Address) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		name, directed := to.SingleAgent()
		if !directed {
			for a, err := range f.AgentsMentioning(roster.PoolSearchWords(to, false)...) {
				if (err != nil || slices.Contains(roster.BoxesForCard(a.Card), to)) && !yield(a, err) {
					return
				}
			}
			return
		}
		switch a, err := f.Agent(name); {
		case a != nil || err != nil:
			yield(schemas.ValueOrZero(a), err)
		case f.Here.IsActing(name):
			yield(store.Agent{Card: schemas.Card{Name: name}}, nil)
		default:
			sessions.AgentsOfClient(f.View, name)(yield)
		}
	}
}

// NoTakerReason says why none of the addressed agents will take a handoff. It returns "" if one of them will, even if
// this agent is absent or busy now. The argument asked is [MemberReasons], or [PresentMemberReasons] if agents that are
// away do not count.
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

// AgentsProducing returns the agents that declared that they produce at least one of the types, and that may take the
// work: they are not away, did not send it, and accept its type.
func (f Offers) AgentsProducing(types []string, r *store.Record) ([]schemas.Agent, error) {
	return f.AgentsWith(func(c schemas.Card) bool {
		return roster.Produces(c, types) && !c.Away && c.Name != r.From && roster.AcceptsType(c, r.Type)
	})
}

// AgentsWith returns the known agents whose cards fit.
func (f Offers) AgentsWith(fits func(schemas.Card) bool) (able []schemas.Agent, err error) {
	for a, err := range f.Agents() {
		if err != nil {
			return nil, err
		}
		if fits(a.Card) {
			able = append(able, a.Card.Name)
		}
	}
	return able, nil
}

// KnownAgent is an agent that the store knows.
type KnownAgent struct {
	store.Agent
	IsLive    bool // a session uses the agent's name now, or the agent holds work
	IsPresent bool // it is live, or it made a call lately, as an agent on the command line does
}

// ClosedClientText tells people that mail waits until the client called name starts. It returns "" if name is not among
// the clients that are set up on the machine of the reader.
func ClosedClientText(clients []schemas.Agent, name schemas.Agent) string {
	if !slices.Contains(clients, name) {
		return ""
	}
	return fmt.Sprintf("%s is not open: open it, and it is told of its work at its start", name)
}

// NoPresentTakerText says that no present agent takes work for an address. It returns "" if a present agent does. It
// ignores max_open, because an agent at its limit takes work later.
func NoPresentTakerText(known []KnownAgent, to schemas.Address) string {
	name, directed := to.SingleAgent()
	owner := store.Agent{Card: schemas.Card{Name: name}}
	if i := slices.IndexFunc(known, func(k KnownAgent) bool { return k.Card.Name == name }); i >= 0 {
		owner = known[i].Agent
	}
	for _, k := range known {
		takes := roster.Qualifies(k.Card, to, false) && (directed || !k.Card.Away)
		if k.IsPresent && (takes || directed && isSibling(k.Agent, owner)) {
			return ""
		}
	}
	if directed {
		return fmt.Sprintf("%s is not here", name)
	}
	return fmt.Sprintf("nobody who takes %s is here", to)
}

package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/card"
	"handoff/mailbox/operation"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Register stores the card of an agent: the types of work that it accepts and produces, its skills and its role, how
// many handoffs it takes at a time, and how long its sessions are, in minutes. An agent calls it for itself. A caller
// that may act as any agent calls it for any agent.
//
// From then on the agent qualifies for the pools of its skills, role and types. It can get waiting mail of these pools
// at once, because its waiting calls look into its mailboxes again. The first registration in a workspace changes
// sends: from then on the server refuses a send to a name that nobody registered. Fields that a later call leaves out
// keep their values, except away, which holds only until the next call.
//
// The error is invalid for a reserved name, and for a skill, role or type that is not made of 1 to 64 characters of A-Z
// a-z 0-9 . _ -; denied for a caller that may not act as that agent. A repetition changes nothing but adds one more
// event. If the process dies during the call, the store has both the card and the event, or neither.
func (s *Service) Register(ctx context.Context, by schemas.Caller, in schemas.RegisterIn) (schemas.RegisterOut, error) {
	name, err := card.CheckRegistration(in)
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	if len(by.Names) > 0 { // the caller may act only under these names
		if _, err := by.As(in.Name); err != nil {
			return schemas.RegisterOut{}, schemas.AsError(err).WithField("name")
		}
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.RegisterOut, err error) {
		a, err := sessions.AgentOrNew(o.View, name)
		if err != nil {
			return out, err
		}
		a.Seen = cmp.Or(a.Seen, store.TimeOf(o.Now)) // an agent that another caller registers is known from now on
		before := a.Card.Accepts
		card.UpdateCard(&a.Card, in)
		gone := slices.DeleteFunc(slices.Clone(before), func(w string) bool { return slices.Contains(a.Card.Accepts, w) })
		if len(gone) > 0 {
			out.Warnings = []string{fmt.Sprintf("%s no longer accepts %s: a list that is said replaces the one before",
				name, strings.Join(gone, ", "))}
		}
		if err := o.storeCard(a, in); err != nil {
			return out, err
		}
		out.Agent, err = o.card(o.View, a)
		return out, err
	})
}

// Agents lists the known agents, connected agents first. For each it gives the types that it accepts, whether it is
// connected, when it was last seen, how many handoffs wait for it, how many it holds, and how many notices it has not
// read. Any caller calls it. It changes nothing but applies due changes. The arguments capability, role and tags leave
// out agents that do not qualify. Agents with numbered names, one for each session of a client, are left out if their
// session ended and they have no mail and no claim left.
//
// A result has at most limit agents; without a limit it has the agents that fit into 7,000 bytes. The field more counts
// the others. It has no cursor: filters find a single agent. The only errors come from the store.
func (s *Service) Agents(ctx context.Context, by schemas.Caller, in schemas.AgentsIn) (schemas.AgentsOut, error) {
	return operation.Read(ctx, s.engine, func(v *store.View) (out schemas.AgentsOut, err error) {
		out.Agents = []schemas.Card{}
		for a, err := range s.allAgents(v) {
			if err != nil {
				return out, err
			}
			c, err := s.card(v, a)
			if err != nil {
				return out, err
			}
			if c.Name == by.Agent {
				c.Seen = s.Now().Truncate(time.Second)
			}
			if card.IsListed(a, c, in) {
				out.Agents = append(out.Agents, c)
			}
			if roster.HasUnacceptedSkill(c, in.Capability) {
				out.Skilled = &c
			}
		}
		if len(out.Agents) > 0 {
			out.Skilled = nil
		}
		card.SortAndLimit(in.Limit, &out)
		return out, nil
	})
}

// allAgents yields the known agents, and then the connected agents that have done nothing yet. Each name comes once.
func (s *Service) allAgents(v *store.View) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		known := map[schemas.Agent]bool{}
		for a, err := range v.Agents() {
			known[a.Card.Name] = true
			if !yield(a, err) || err != nil {
				return
			}
		}
		for _, name := range s.here.ActingAgents() {
			if !known[name] && !yield(store.Agent{Card: schemas.Card{Name: name}}, nil) {
				return
			}
		}
	}
}

// cards returns the cards of all known agents, as they are now. Reading them takes time, a few rows for each agent, so
// only refusals and sends to a pool use cards.
func (o *op) cards() ([]schemas.Card, error) { return o.cardsOf(o.View, o.Agents()) }

// cardsOf returns the cards of the given agents. It stops at the first agent that it cannot read and returns the error.
func (e *env) cardsOf(v *store.View, agents iter.Seq2[store.Agent, error]) ([]schemas.Card, error) {
	cards := make([]schemas.Card, 0, 32)
	for a, err := range agents {
		if err != nil {
			return nil, err
		}
		c, err := e.card(v, a)
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// card returns the card of an agent as it is now: its registration, the counters of its own mailbox, whether it acts
// over an open connection, and whether it waits for work. The counters do not count the mail of its pools.
func (e *env) card(v *store.View, a store.Agent) (schemas.Card, error) {
	c := a.Card
	m, err := v.Counters(schemas.Address(c.Name))
	c.Seen, c.Pending, c.Held, c.Notices = a.Seen.Time(), m.Pending, m.Held, m.Unread
	c.Live, c.Waiting = e.here.IsActing(c.Name), e.hub.HasWaiter(schemas.Address(c.Name))
	return c, err
}

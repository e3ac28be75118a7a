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

// Register keeps what an agent says of itself: the types of work that it accepts and produces, its skills and its role,
// how many handoffs it takes at a time and how long its sessions are, in minutes. An agent calls it for itself, and a
// caller that may act as any agent for any other.
//
// From then on the agent qualifies for the pools of these words, and mail that waits there may go to it at once: calls
// that wait for it look again. The first registration of a workspace makes it one where agents are declared: a send to
// a name that nobody registered is refused from then on. What a later call leaves out stays as it was, except away,
// which holds only while it is said.
//
// The error is invalid for a reserved name and for a word other than 1 to 64 of A-Z a-z 0-9 . _ -; denied for a caller
// that may not act as that agent. A repetition changes nothing but is one more event. If the process dies during the
// call, card and event are there together or not at all.
func (s *Service) Register(ctx context.Context, by schemas.Caller, in schemas.RegisterIn) (schemas.RegisterOut, error) {
	name, err := card.Check(in)
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	if len(by.Names) > 0 { // a caller that may act only as some speaks only for them
		if _, err := by.As(in.Name); err != nil {
			return schemas.RegisterOut{}, schemas.AsError(err).WithField("name")
		}
	}
	return mutate(ctx, s, by, func(o *op) (out schemas.RegisterOut, err error) {
		a, err := sessions.AgentOrNew(o.View, name)
		if err != nil {
			return out, err
		}
		a.Seen = cmp.Or(a.Seen, store.At(o.Now)) // an agent for which another speaks is known from now on
		before := a.Card.Accepts
		card.Register(&a.Card, in)
		gone := slices.DeleteFunc(slices.Clone(before), func(w string) bool { return slices.Contains(a.Card.Accepts, w) })
		if len(gone) > 0 {
			out.Warnings = []string{fmt.Sprintf("%s no longer accepts %s: a list that is said replaces the one before",
				name, strings.Join(gone, ", "))}
		}
		if err := o.putCard(a, in); err != nil {
			return out, err
		}
		out.Agent, err = o.card(o.View, a)
		return out, err
	})
}

// Agents lists the agents that are known, those that are here first: what each accepts, whether it is connected, when
// it was last seen, and how many handoffs wait for it, are held by it, and how many notices it has not read. Any caller
// calls it; nothing changes but what the clock has changed. Capability, role and tags leave out agents that do not
// qualify. Numbered sessions of a client that ended, and have nothing left, are left out as well.
//
// A result has limit agents, or as many as fit into 7,000 bytes; more counts the others. There is no cursor: who looks
// for one agent filters. The only errors are those of the store.
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
			if card.Shown(a, c, in) {
				out.Agents = append(out.Agents, c)
			}
			if roster.SkilledOnly(c, in.Capability) {
				out.Skilled = &c
			}
		}
		if len(out.Agents) > 0 {
			out.Skilled = nil
		}
		card.Fit(in.Limit, &out)
		return out, nil
	})
}

// allAgents yields the agents that are known, and then those that are here and did nothing yet. Each name comes once.
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

// cards are those of all known agents, as they are now. It reads a few rows for each agent, so it is for refusals and
// for sends to a pool.
func (o *op) cards() ([]schemas.Card, error) { return o.cardsOf(o.View, o.Agents()) }

// cardsOf is [op.cards] for some agents. The first that cannot be read ends it with the error.
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

// card is what is known of an agent now: what it registered, the counters of its own mailbox, whether it acts over an
// open connection, and whether it waits for work. Pools are not counted for it.
func (e *env) card(v *store.View, a store.Agent) (schemas.Card, error) {
	c := a.Card
	m, err := v.Mailbox(schemas.Address(c.Name))
	c.Seen, c.Pending, c.Held, c.Notices = a.Seen.Time(), m.Pending, m.Held, m.Unread
	c.Live, c.Waiting = e.here.IsActing(c.Name), e.hub.HasWaiter(schemas.Address(c.Name))
	return c, err
}

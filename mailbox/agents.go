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

// Register stores the card of an agent: its types of work, its skills and role, how many handoffs it takes at a time,
// and how many minutes its sessions last. An agent calls it for itself. A caller that may act as any agent calls it for
// any agent.
//
// The agent then qualifies for the pools of its skills, role and types, and can claim their waiting mail at once. After
// the first registration in a workspace, the server refuses a send to a name that no agent has registered. Fields that
// a later call leaves out keep their values. The only exception is the field `away`: a call without this field resets
// it.
//
// Errors:
//   - invalid: a reserved name; a skill, role or type that is not made of 1 to 64 characters of A-Z a-z 0-9 . _ -.
//   - denied: the caller may not act as that agent.
//
// A repeated call leaves the card as it is, and adds one more event. If the process dies during the call, the store has
// both the card and the event, or neither.
func (s *Service) Register(ctx context.Context, by schemas.Caller, in schemas.RegisterIn) (schemas.RegisterOut, error) {
	name, err := card.CheckRegistration(in)
	if err != nil {
		return schemas.RegisterOut{}, err
	}
	if len(by.Names) > 0 { // the caller may act only under these names
		if _, err := by.WithName(in.Name); err != nil {
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

// Agents lists the known agents, connected agents first. The card of an agent has its accepted types, the time of its
// last call, and the numbers of its pending handoffs, held handoffs and unread notices. Any caller may call Agents. It
// applies due changes, and changes nothing else.
//
// The arguments capability, role and tags select the agents that qualify. A name with a number, which the server gave
// to one session of a client, is left out if that session ended and the name has no mail and no claim.
//
// The argument limit is the largest number of agents in a result. Without it, a result has the agents that fit into
// 7,000 bytes. The field more counts the agents that were left out. The only errors come from the store.
//
// The result also has advice for a sender, see [env.adviseDeclaredNames].
func (s *Service) Agents(ctx context.Context, by schemas.Caller, in schemas.AgentsIn) (schemas.AgentsOut, error) {
	return operation.Read(ctx, s.engine, func(v *store.View) (out schemas.AgentsOut, err error) {
		out.Agents = []schemas.Card{}
		var all []schemas.Card
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
			all = append(all, c)
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
		out.Sends, err = s.adviseDeclaredNames(v, by, all)
		return out, err
	})
}

// allAgents yields each known agent once: first the agents of the store, then the connected agents that have made no
// call yet.
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

// cards returns the current cards of all known agents. Only refusals and sends to a pool call it, because it reads
// several rows for each agent.
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

// card returns the current card of an agent: its registration, the counters of its own mailbox, whether it acts over an
// open connection, and whether it waits for work. The counters leave out the mail of its pools.
func (e *env) card(v *store.View, a store.Agent) (schemas.Card, error) {
	c := a.Card
	m, err := v.Counters(schemas.Address(c.Name))
	c.Seen, c.Pending, c.Held, c.Notices = a.Seen.Time(), m.Pending, m.Held, m.Unread
	if servers := e.here.ActingOver(c.Name); servers > 1 {
		c.Servers = servers
		if sessions := e.here.CountSessions(c.Name); sessions > 1 {
			c.Sessions = sessions
		}
	}
	c.Live, c.Waiting = e.here.IsActing(c.Name), e.hub.HasWaiterForAnyWork(schemas.Address(c.Name))
	return c, err
}

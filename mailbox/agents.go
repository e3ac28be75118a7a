package mailbox

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Agents lists who is known, what they accept and how busy they are.
func (s *Service) Agents(ctx context.Context, by schemas.Caller, in schemas.AgentsIn) (out schemas.AgentsOut, err error) {
	err = s.read(ctx, func(v *store.View) error {
		out.Agents = []schemas.Card{}
		cards, err := s.cardsIn(v)
		if err != nil {
			return err
		}
		for _, c := range cards {
			if matches(c, in) {
				out.Agents = append(out.Agents, c)
			}
		}
		slices.SortStableFunc(out.Agents, presence)
		return fitAgents(in.Limit, &out)
	})
	return out, err
}

// presence orders agents by who is live, then by who was seen last.
func presence(a, b schemas.Card) int {
	if a.Live != b.Live {
		if a.Live {
			return -1
		}
		return 1
	}
	return b.Seen.Compare(a.Seen)
}

// fitAgents keeps so many agents, or as many as fit into one answer.
func fitAgents(limit int, out *schemas.AgentsOut) error {
	keep := len(out.Agents)
	if limit > 0 {
		keep = min(keep, limit)
	} else {
		size := 0
		for i, c := range out.Agents {
			b, err := json.Marshal(c)
			if err != nil {
				return err
			}
			if size += len(b); size > room && i > 0 {
				keep = i
				break
			}
		}
	}
	out.More = len(out.Agents) - keep
	out.Agents = out.Agents[:keep]
	return nil
}

func matches(c schemas.Card, in schemas.AgentsIn) bool {
	if in.Capability != "" && !roster.Qualifies(c, schemas.Address("capability:"+strings.TrimPrefix(in.Capability, "capability:")), true) {
		return false
	}
	if in.Role != "" && !slices.Contains(roster.Boxes(c), schemas.Address("role:"+strings.TrimPrefix(in.Role, "role:"))) {
		return false
	}
	return len(in.Tags) == 0 || slices.ContainsFunc(in.Tags, func(t string) bool { return slices.Contains(c.Skills, t) })
}

func (o *op) cards() ([]schemas.Card, error) { return o.cardsIn(o.View) }

func (s *Service) cardsIn(v *store.View) (cards []schemas.Card, err error) {
	for a, err := range v.Agents() {
		if err != nil {
			return nil, err
		}
		c, err := s.card(v, a)
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	return cards, nil
}

// card is what is known of an agent now.
func (s *Service) card(v *store.View, a store.Agent) (schemas.Card, error) {
	c := a.Card
	m, err := v.Mailbox(schemas.Address(c.Name))
	c.Seen, c.Pending, c.Held, c.Notices = a.Seen.Time(), m.Pending, m.Held, m.Unread
	c.Live = s.conns.acting(c.Name)
	return c, err
}

package mailbox

import (
	"handoff/schemas"
	"handoff/store"
)

// cards are those of all known agents, as they are now.
func (o *op) cards() (cards []schemas.Card, err error) {
	for a, err := range o.View.Agents() {
		if err != nil {
			return nil, err
		}
		c, err := o.card(o.View, a)
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
	c.Live = s.acting(c.Name)
	return c, err
}

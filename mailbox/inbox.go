package mailbox

import (
	"context"

	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Inbox counts the mail that an agent may claim, and its unread notices.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (in schemas.Inbox, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		in = schemas.Inbox{}
		boxes, err := boxesOf(v, agent)
		if err != nil {
			return err
		}
		for _, box := range boxes {
			m, err := v.Mailbox(box)
			if err != nil {
				return err
			}
			in.Pending += m.Pending
			in.Urgent += m.Urgent
			in.Notices += m.Unread
		}
		return nil
	})
	return in, s.coded(err)
}

// boxesOf are the mailboxes that an agent may claim from: its own, and the pools it qualifies for.
func boxesOf(v *store.View, name schemas.Agent) ([]schemas.Address, error) {
	a, err := v.Agent(name)
	if err != nil || a == nil {
		return []schemas.Address{schemas.Address(name)}, err
	}
	return roster.Boxes(a.Card), nil
}

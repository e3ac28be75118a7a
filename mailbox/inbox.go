package mailbox

import (
	"context"

	"handoff/schemas"
	"handoff/store"
)

// Inbox counts the mail that an agent may claim, how much of it is urgent, and its unread notices. Package tools calls
// it after each call, to tell the caller. It reads a row for each mailbox of the agent, and changes nothing.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (in schemas.Inbox, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		in, err = s.inboxOf(v, agent)
		return err
	})
	return in, s.coded(err)
}

func (s *Service) inboxOf(v *store.View, agent schemas.Agent) (in schemas.Inbox, err error) {
	boxes, err := s.boxesOf(v, agent)
	if err != nil {
		return in, err
	}
	for _, box := range boxes {
		m, err := v.Mailbox(box)
		if err != nil {
			return in, err
		}
		in.Pending += m.Pending
		in.Urgent += m.Urgent
		if box == schemas.Address(agent) {
			in.Notices = m.Unread
		}
	}
	return in, nil
}

package mailbox

import (
	"context"
	"iter"
	"slices"
	"time"

	"handoff/mailbox/names"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// Inbox counts the mail that an agent may claim, how much of it is urgent, and its unread notices. Package tools calls
// it after each call, to tell the caller. It reads a row for each mailbox of the agent, changes nothing, and does not
// apply what the clock has changed: a handoff whose delay has just ended is counted by the next call. The errors are
// those of the store.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (in schemas.Inbox, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		in, err = s.inboxOf(v, agent)
		return err
	})
	return in, s.coded(err)
}

// inboxOf counts by the counters of the mailboxes, so it takes as long with a million handoffs as with none. Notices
// are those of the agent's own mailbox alone.
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

// boxesOf are the mailboxes that an agent may claim from: its own, the pools that it qualifies for, and those in which
// mail waits for siblings that are not here. It does not look at how many the agent holds: an inbox shows what waits,
// also to an agent that takes no more.
func (s *Service) boxesOf(v *store.View, name schemas.Agent) ([]schemas.Address, error) {
	a, err := agentNamed(v, name)
	if err != nil {
		return nil, err
	}
	orphaned, err := s.orphaned(v, a)
	return append(roster.Boxes(a.Card), orphaned...), err
}

// claimsFrom are the mailboxes from which an agent takes the next: its own, the pools that it qualifies for, and those
// of siblings that are not here; only its own while it holds as many as it said that it takes. A call that waits joins
// the queues of all siblings that are not here, since mail may come for them; one that looks needs only those with
// mail.
func claimsFrom(v *store.View, a store.Agent, siblings siblingBoxes) ([]schemas.Address, error) {
	if a.Card.MaxOpen > 0 {
		own := schemas.Address(a.Card.Name)
		m, err := v.Mailbox(own)
		if err != nil || m.Held >= a.Card.MaxOpen {
			return []schemas.Address{own}, err
		}
	}
	more, err := siblings(v, a)
	return append(roster.Boxes(a.Card), more...), err
}

// mayClaim tells whether the caller is the recipient of a handoff or qualifies for it, and is not excluded. While the
// handoff is reserved it is for one agent alone. Who holds as many as it takes may still claim a handoff that it names.
func (o *op) mayClaim(r *store.Record) (bool, error) {
	if slices.Contains(r.Excluded, o.by.Agent) {
		return false, nil
	}
	a, err := o.me()
	switch {
	case err != nil:
		return false, err
	case r.Reserved != 0:
		return r.Box == schemas.Address(o.by.Agent), nil
	case slices.Contains(roster.Boxes(a.Card), r.To):
		return true, nil
	}
	return o.isOrphaned(o.View, *a, r.To)
}

// Mail for a session that is not here would lie for ever, because no other session has its name. So while nobody acts
// under a name that was given to a session of a client, mail for that name is orphaned: any other session of the
// client may take it.

// siblingBoxes gives mailboxes of the sessions of an agent's client that are not here: [Service.orphaned], those with
// mail, for a call that looks now; or [Service.absent], all of them, for a call that waits for mail that may come.
type siblingBoxes func(*store.View, store.Agent) ([]schemas.Address, error)

// orphaned are the mailboxes in which something waits for sessions of an agent's client that are not here.
func (s *Service) orphaned(v *store.View, a store.Agent) ([]schemas.Address, error) {
	return s.orphanedAmong(v, a, v.Waiting(names.Beginning(a.Client)))
}

// absent are the mailboxes of all sessions of an agent's client that are not here, with mail or without.
func (s *Service) absent(v *store.View, a store.Agent) ([]schemas.Address, error) {
	return s.orphanedAmong(v, a, func(yield func(schemas.Address, error) bool) {
		if !yield(schemas.Address(a.Client), nil) {
			return
		}
		for other, err := range namesOf(v, a.Client) {
			if other.Card.Name != a.Client && !yield(schemas.Address(other.Card.Name), err) {
				return
			}
		}
	})
}

// orphanedAmong are those mailboxes that are orphaned for an agent, a thousand looked at most. An agent whose name was
// given to no session of a client has no siblings.
func (s *Service) orphanedAmong(
	v *store.View, a store.Agent, all iter.Seq2[schemas.Address, error],
) (boxes []schemas.Address, err error) {
	if a.Client == "" {
		return nil, nil
	}
	looked := 0
	for box, err := range all {
		if looked++; err != nil || looked > mostLooked {
			return boxes, err
		}
		orphaned, err := s.isOrphaned(v, a, box)
		if err != nil {
			return nil, err
		}
		if orphaned {
			boxes = append(boxes, box)
		}
	}
	return boxes, nil
}

// isOrphaned tells whether a mailbox is that of another session of an agent's client, and that session is not here.
// Pools are never orphaned, nor is the mailbox of an agent of another client.
func (s *Service) isOrphaned(v *store.View, a store.Agent, box schemas.Address) (bool, error) {
	name, directed := box.Directed()
	if !directed || a.Client == "" || name == a.Card.Name {
		return false, nil
	}
	other, err := agentNamed(v, name)
	return (name == a.Client || other.Client == a.Client) && !s.isHere(other, s.Now()), err
}

// isHere tells whether somebody acts under a name, as far as anybody knows. The connection of an agent that chose its
// name is written nowhere, so a service that has just begun gives it the time to be announced. Until then its mail is
// not given to others: mail that waits a few seconds longer is no harm, mail that two agents work on is.
func (s *Service) isHere(a store.Agent, now time.Time) bool {
	return s.acting(a.Card.Name) || s.named(a, now).Held() || a.Client == "" && !s.settled(now)
}

package mailbox

import (
	"iter"
	"time"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/store"
)

// Mail for a session that is not here would lie for ever, because no other session has its name. So while nobody acts
// under a name that was given to a session of a client, mail for that name is orphaned: any other session of the
// client may take it.

// siblingBoxes gives mailboxes of the sessions of an agent's client that are not here: [Service.orphaned] or
// [Service.absent].
type siblingBoxes func(*store.View, store.Agent) ([]schemas.Address, error)

// orphaned are the mailboxes in which something waits for sessions of an agent's client that are not here.
func (s *Service) orphaned(v *store.View, a store.Agent) ([]schemas.Address, error) {
	if a.Client == "" {
		return nil, nil
	}
	return s.orphanedAmong(v, a, v.Waiting(names.Beginning(a.Client)))
}

// absent are the mailboxes of all sessions of an agent's client that are not here, with mail or without.
func (s *Service) absent(v *store.View, a store.Agent) ([]schemas.Address, error) {
	if a.Client == "" {
		return nil, nil
	}
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

func (s *Service) orphanedAmong(
	v *store.View, a store.Agent, all iter.Seq2[schemas.Address, error],
) (boxes []schemas.Address, err error) {
	looked := 0
	for box, err := range all {
		if looked++; err != nil || looked > scanned {
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
func (s *Service) isOrphaned(v *store.View, a store.Agent, box schemas.Address) (bool, error) {
	name, directed := box.Directed()
	if !directed || a.Client == "" || name == a.Card.Name {
		return false, nil
	}
	other, err := agentNamed(v, name)
	return (name == a.Client || other.Client == a.Client) && !s.isHere(other, s.Now()), err
}

// isHere tells whether somebody acts under a name, as far as anybody knows. The connection of an agent that chose its
// name is written nowhere, so a service that has just begun gives it the time to be announced.
func (s *Service) isHere(a store.Agent, now time.Time) bool {
	return s.acting(a.Card.Name) || s.named(a, now).Held() || a.Client == "" && !s.settled(now)
}

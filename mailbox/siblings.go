package mailbox

import (
	"iter"
	"time"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/store"
)

// Mail for a session that is not there would lie for ever, because nobody else has its name. So mail for a
// name that was given to a session of a client may be taken by any other session of that client while nobody
// acts under that name.

// strayed gives mailboxes of siblings that are not here: [Service.strays] or [Service.silent].
type strayed func(*store.View, store.Agent) ([]schemas.Address, error)

// strays are the mailboxes in which something waits for sessions of an agent's client that are not here.
func (s *Service) strays(v *store.View, a store.Agent) ([]schemas.Address, error) {
	if a.Client == "" {
		return nil, nil
	}
	return s.straysAmong(v, a, v.Waiting(names.Beginning(a.Client)))
}

// silent are the mailboxes of all sessions of an agent's client that are not here, with mail or without.
func (s *Service) silent(v *store.View, a store.Agent) ([]schemas.Address, error) {
	if a.Client == "" {
		return nil, nil
	}
	return s.straysAmong(v, a, func(yield func(schemas.Address, error) bool) {
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

func (s *Service) straysAmong(v *store.View, a store.Agent, all iter.Seq2[schemas.Address, error]) (boxes []schemas.Address, err error) {
	looked := 0
	for box, err := range all {
		if looked++; err != nil || looked > scanned {
			return boxes, err
		}
		stray, err := s.isStray(v, a, box)
		if err != nil {
			return nil, err
		}
		if stray {
			boxes = append(boxes, box)
		}
	}
	return boxes, nil
}

// isStray tells whether a mailbox is that of another session of an agent's client, and it is not here.
func (s *Service) isStray(v *store.View, a store.Agent, box schemas.Address) (bool, error) {
	name, directed := box.Directed()
	if !directed || a.Client == "" || name == a.Card.Name {
		return false, nil
	}
	other, err := agentNamed(v, name)
	return (name == a.Client || other.Client == a.Client) && !s.here(other, s.Now()), err
}

// here tells whether somebody acts under a name, as far as anybody knows. The connection of one who chose its
// name is written nowhere, so a service that has just begun gives it the time to be announced.
func (s *Service) here(a store.Agent, now time.Time) bool {
	return s.acting(a.Card.Name) || s.named(a, now).Held() || a.Client == "" && !s.settled(now)
}

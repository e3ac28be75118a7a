package mailbox

import (
	"maps"
	"slices"

	"handoff/mailbox/presence"
	"handoff/schemas"
)

// isOpen tells whether a connection is open.
func (s *Service) isOpen(conn string) bool {
	_, open := s.Presence.Connection(conn)
	return open
}

// acting tells whether an agent acts over an open connection.
func (s *Service) acting(a schemas.Agent) bool {
	return len(s.Presence.Connections(presence.Filter{Agent: a})) > 0
}

// actingIn tells whether an agent acts over an open connection of a session.
func (s *Service) actingIn(session string, a schemas.Agent) bool {
	return slices.ContainsFunc(s.Presence.Connections(presence.Filter{Agent: a}), func(c presence.Connection) bool {
		return c.Session == session
	})
}

// actingInAnother tells whether an agent acts over an open connection of another session than the given one.
func (s *Service) actingInAnother(session string, a schemas.Agent) bool {
	return slices.ContainsFunc(s.Presence.Connections(presence.Filter{Agent: a}), func(c presence.Connection) bool {
		return c.Session != session
	})
}

// actingOverAnother tells whether an agent acts over another open connection than the given one.
func (s *Service) actingOverAnother(other string, a schemas.Agent) bool {
	return slices.ContainsFunc(s.Presence.Connections(presence.Filter{Agent: a}), func(c presence.Connection) bool {
		return c.Name != other
	})
}

// everybodyHere is who acts over any open connection, by name.
func (s *Service) everybodyHere() []schemas.Agent {
	here := map[schemas.Agent]bool{}
	for _, c := range s.Presence.Connections(presence.Filter{}) {
		for _, a := range c.Agents {
			here[a] = true
		}
	}
	return slices.Sorted(maps.Keys(here))
}

package mailbox

import (
	"context"
	"maps"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/names"
	"handoff/mailbox/presence"
	"handoff/mailbox/waiting"
	"handoff/schemas"
	"handoff/store"
)

// Attach tells that a connection is open. The transport calls it when a client connects, and again when it tells more
// of itself or when another process serves it from now on. Claims that are made over the connection are renewed until
// [Service.Detach], as long as their holder is heard of.
//
// A client that chose no name for its agent is given one: the name that its session had within a week, else the
// client's own or that with the lowest free number; the same each time that the connection is announced. The result
// says it. The error is invalid for a client whose name cannot be the name of an agent.
func (s *Service) Attach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	s.here.Open(connectionOf(by, in))
	if by.Agent != "" || in.Client == "" {
		out.Agent = by.Agent
		return out, nil
	}
	client, err := parseClient(in.Client)
	if err != nil {
		return out, err
	}
	c := names.Caller{Session: by.AgentID, Conn: in.Conn, Process: in.Process}
	err = s.update(ctx, by, func(o *op) error {
		a, err := o.nameFor(client, names.Server, c)
		if err != nil {
			return err
		}
		out = schemas.ConnOut{Agent: a.Card.Name}
		return o.give(a, client, c)
	})
	if err == nil {
		s.here.Acts(in.Conn, out.Agent)
	}
	return out, err
}

// connectionOf is a connection as its server announces it.
func connectionOf(by schemas.Caller, in schemas.ConnIn) presence.Connection {
	c := presence.Connection{Name: in.Conn, Session: by.AgentID, Parent: in.Parent}
	if by.Agent != "" {
		c.Agents = []schemas.Agent{by.Agent}
	}
	return c
}

// Detach tells that a connection is gone. The transport calls it when its client disconnects. The leases of the claims
// made over it are cut to two minutes, in which the same agent may claim them again, see [life.Lost]; the result lists
// them. The name that the client was given is kept for its session, if anything was done under it. A repetition
// changes nothing.
func (s *Service) Detach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	conn, _ := s.here.Connection(in.Conn)
	agents := conn.Agents
	if by.Agent != "" && !slices.Contains(agents, by.Agent) {
		agents = append(agents, by.Agent)
	}
	err = s.update(ctx, clockCaller, func(o *op) error {
		out = schemas.ConnOut{}
		for _, a := range agents {
			if err := o.lose(a, in.Conn, &out); err != nil {
				return err
			}
			if err := o.leave(a, in); err != nil {
				return err
			}
		}
		return nil
	})
	s.here.Close(in.Conn) // not before: a lease that ended meanwhile was renewed because of it
	s.hub.Announce(waiting.Effects{Regrouped: true})
	return out, err
}

// lose cuts the leases of what an agent holds over a connection that is gone.
func (o *op) lose(a schemas.Agent, conn string, out *schemas.ConnOut) error {
	for id, err := range o.Oldest(store.HeldBy(a), 0) {
		if err != nil {
			return err
		}
		r := o.usable(id)
		if r == nil || r.Conn != conn || !r.Status.Held() {
			continue
		}
		out.Holding = append(out.Holding, id)
		if err := o.cut(r); err != nil {
			return err
		}
	}
	return nil
}

// cut shortens the lease of a claim whose connection is gone.
func (o *op) cut(r *store.Record) error {
	if r.Left {
		return nil
	}
	return o.change(happening{action: life.Lost}, r, func(now *store.Record) {
		if now.Left = true; r.Status != schemas.Waiting { // no lease runs while it waits for an answer
			now.Lease = min(r.Lease, store.At(o.now.Add(grace)))
		}
	})
}

// isOpen tells whether a connection is open.
func (s *Service) isOpen(conn string) bool {
	_, open := s.here.Connection(conn)
	return open
}

// acting tells whether an agent acts over an open connection.
func (s *Service) acting(a schemas.Agent) bool {
	return len(s.here.Connections(presence.Filter{Agent: a})) > 0
}

// actingOver tells whether an agent acts over an open connection that is wanted.
func (s *Service) actingOver(a schemas.Agent, wanted func(presence.Connection) bool) bool {
	return slices.ContainsFunc(s.here.Connections(presence.Filter{Agent: a}), wanted)
}

// everybodyHere is who acts over any open connection, by name.
func (s *Service) everybodyHere() []schemas.Agent {
	here := map[schemas.Agent]bool{}
	for _, c := range s.here.Connections(presence.Filter{}) {
		for _, a := range c.Agents {
			here[a] = true
		}
	}
	return slices.Sorted(maps.Keys(here))
}

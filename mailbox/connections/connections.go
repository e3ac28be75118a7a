// Package connections knows which connections of clients are open, and keeps the names that their sessions are given.
// Package sessions judges which name a session gets; what came of that is written here, in operations.
package connections

import (
	"cmp"
	"context"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/longpoll"
	"handoff/mailbox/names"
	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Connections are those of the clients of a workspace. Its methods may be called concurrently.
type Connections struct{ Engine *operation.Engine }

// op is the operation in which a connection comes or goes.
type op struct{ *operation.Op }

// Attach tells that a connection is open. The transport calls it when a client connects, and again when it tells more
// of itself or when another process serves it from now on. Claims that are made over the connection are renewed until
// [Connections.Detach], as long as their holder is heard of.
//
// A client that chose no name for its agent is given one: the name that its session had within a week, else the
// client's own or that with the lowest free number; the same each time that the connection is announced. The result
// says it. The name is kept in the store, that the connection is open only in the memory of this process.
//
// The error is invalid for a client whose name cannot be the name of an agent. A repetition changes nothing but what
// the tracker knows. When the owner of the store dies, each process announces its connections to the next one; those
// that nobody announces are gone after two minutes, and names of killed servers are free after five seconds.
func (c *Connections) Attach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	connection := presence.Connection{Name: in.Conn, Session: by.AgentID, Parent: in.Parent}
	if by.Agent != "" { // in the same step, so that nobody is given its name in between
		connection.Agents = []schemas.Agent{by.Agent}
	}
	c.Engine.Here.Open(connection)
	if by.Agent != "" || in.Client == "" {
		out.Agent = by.Agent
		return out, nil
	}
	client, err := sessions.ParseClient(in.Client)
	if err != nil {
		return out, err
	}
	caller := names.Caller{Session: by.AgentID, Conn: in.Conn, Process: in.Process}
	err = c.Engine.Update(ctx, by, func(o *operation.Op) error {
		a, err := o.Here().ChooseName(o.View, client, names.Server, caller)
		if err != nil {
			return err
		}
		out = schemas.ConnOut{Agent: a.Card.Name}
		return op{o}.give(a, client, caller)
	})
	if err == nil {
		c.Engine.Here.NoteActing(in.Conn, out.Agent)
	}
	return out, err
}

// Detach tells that a connection is gone. The transport calls it when its client disconnects, or when the process of
// the client breaks off. The leases of the claims made over it are cut to two minutes, in which the same agent may
// claim them again, see [life.Lost]; the result lists them. The name that the client was given is kept for its session,
// if anything was done under it.
//
// It acts as the clock, so the caller needs no part in what it held. All agents that acted over the connection are gone
// through, in one transaction. Damaged records are passed over. The connection counts as open until after the commit,
// so that a lease that ends at that moment is still renewed and then cut. A repetition changes nothing. If the process
// dies before the commit, nothing is cut: the next owner does not know the connection, and takes it for gone after two
// minutes.
func (c *Connections) Detach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	conn, _ := c.Engine.Here.Connection(in.Conn)
	agents := conn.Agents
	if by.Agent != "" && !slices.Contains(agents, by.Agent) {
		agents = append(agents, by.Agent)
	}
	err = c.Engine.Update(ctx, operation.ClockCaller, func(o *operation.Op) error {
		out = schemas.ConnOut{}
		for _, a := range agents {
			if err := cmp.Or(op{o}.lose(a, in.Conn, &out), op{o}.leave(a, in)); err != nil {
				return err
			}
		}
		return nil
	})
	c.Engine.Here.Close(in.Conn) // not before: a lease that ended meanwhile was renewed because of it
	c.Engine.Hub.Announce(longpoll.Effects{Regrouped: true})
	return out, err
}

// lose cuts the leases of what an agent holds over a connection that is gone, and lists those handoffs in the result.
func (o op) lose(a schemas.Agent, conn string, out *schemas.ConnOut) error {
	for r, err := range o.HeldBy(a) {
		if err != nil {
			return err
		}
		if r.Conn != conn {
			continue
		}
		out.Holding = append(out.Holding, r.ID)
		if err := o.cut(r); err != nil {
			return err
		}
	}
	return nil
}

// cut shortens the lease of a claim whose connection is gone. It happens once: a claim that was cut keeps its end,
// however often the connection is said to be gone. No lease runs while the holder waits for an answer, and the mark
// alone lets the agent reclaim that.
func (o op) cut(r *store.Record) error {
	if r.Left {
		return nil
	}
	return o.Change(&operation.Happening{Action: life.Lost}, r, func(now *store.Record) {
		if now.Left = true; r.Status != schemas.Waiting { // no lease runs while it waits for an answer
			now.Lease = min(r.Lease, store.At(o.Now.Add(operation.Grace)))
		}
	})
}

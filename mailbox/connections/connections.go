// Package connections tracks the open connections of clients, and stores the names of their sessions. Package sessions
// chooses each name.
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

// Connections tracks the connections of the clients of a workspace. Its methods may be called concurrently.
type Connections struct{ Engine *operation.Engine }

// op is the operation that opens or closes a connection.
type op struct{ *operation.Op }

// Attach announces an open connection. The transport calls it when a client connects, and again when the connection's
// data change or when another process becomes the owner of the store. Until [Connections.Detach], each call of a holder
// over the connection renews the leases of its claims.
//
// The result has the name of the session. A client that chose no name gets the name that its session had within the
// last week, or the client's own name (codex), or a numbered name (codex-2). A repeat returns the same name. The error
// is invalid for a client whose name cannot be the name of an agent.
func (c *Connections) Attach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	connection := presence.Connection{Name: in.Conn, Session: by.AgentID, Parent: in.Parent}
	if by.Agent != "" { // in the same step, so that no other session gets the name in between
		connection.Agents = []schemas.Agent{by.Agent}
	}
	c.Engine.Here.OpenConnection(connection)
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
		a, err := o.Presence().ChooseName(o.View, client, names.Server, caller)
		if err != nil {
			return err
		}
		out = schemas.ConnOut{Agent: a.Card.Name}
		return op{o}.assignName(a, client, caller)
	})
	if err == nil {
		c.Engine.Here.RecordActing(in.Conn, out.Agent)
	}
	return out, err
}

// Detach announces that a connection is gone. Each lease of a claim over this connection then ends after at most two
// minutes. The result lists the handoffs of these claims. Until the lease ends, the same agent may claim the handoff
// again, see [life.Lost].
//
// The session keeps its name if it did anything under that name. One transaction covers all agents that acted over the
// connection. It skips damaged records. A repeat changes nothing. If this process dies before the commit, the next
// owner of the store treats the connection as gone after two minutes.
func (c *Connections) Detach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	conn, _ := c.Engine.Here.Connection(in.Conn)
	agents := conn.Agents
	if by.Agent != "" && !slices.Contains(agents, by.Agent) {
		agents = append(agents, by.Agent)
	}
	err = c.Engine.Update(ctx, operation.ClockCaller, func(o *operation.Op) error {
		out = schemas.ConnOut{}
		for _, a := range agents {
			if err := cmp.Or(op{o}.shortenLeases(a, in.Conn, &out), op{o}.recordDetach(a, in)); err != nil {
				return err
			}
		}
		return nil
	})
	c.Engine.Here.CloseConnection(in.Conn) // not earlier: the open connection renewed any lease that ended meanwhile
	c.Engine.Hub.Announce(longpoll.OperationEffects{Regrouped: true})
	return out, err
}

// shortenLeases shortens the leases of an agent's claims over a connection that is gone, and adds the handoffs to the
// result.
func (o op) shortenLeases(a schemas.Agent, conn string, out *schemas.ConnOut) error {
	for r, err := range o.HandoffsHeldBy(a) {
		if err != nil {
			return err
		}
		if r.Conn != conn {
			continue
		}
		out.Holding = append(out.Holding, r.ID)
		if err := o.shortenLease(r); err != nil {
			return err
		}
	}
	return nil
}

// shortenLease shortens the lease of a claim whose connection is gone. A second report of the same loss does not change
// the lease again. A handoff that waits for an answer is an exception: no lease runs, so shortenLease only sets Left
// (the connection is gone), which allows the holder to claim the handoff again.
func (o op) shortenLease(r *store.Record) error {
	if r.Left {
		return nil
	}
	return o.ChangeRecord(&operation.RecordChange{Action: life.Lost}, r, func(now *store.Record) {
		if now.Left = true; r.Status != schemas.Waiting { // no lease runs while the holder waits for an answer
			now.Lease = min(r.Lease, store.TimeOf(o.Now.Add(operation.Grace)))
		}
	})
}

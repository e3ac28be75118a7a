// Package connections tracks the open connections of clients, and stores the names of their sessions. Package sessions
// chooses each name.
package connections

import (
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
// The result has the name of the session. A client that chose no name gets the name that its session has, or had within
// the last week, or the client's own name (codex), or a numbered name (codex-2). A repeat returns the same name, unless
// the connection turns out to belong to another session. The error is invalid for a client whose name cannot be the
// name of an agent.
func (c *Connections) Attach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	before, _ := c.Engine.Here.Connection(in.Conn)
	c.Engine.Here.OpenConnection(presence.Connection{Name: in.Conn, Own: by.Agent, Session: by.AgentID, Parent: in.Parent})
	if by.Agent != "" || in.Client == "" {
		return schemas.ConnOut{Agent: by.Agent}, nil
	}
	client, err := sessions.ParseClient(in.Client)
	if err != nil {
		return out, err
	}
	caller := names.Caller{Session: by.AgentID, Conn: in.Conn, Process: in.Process, Parent: in.Parent}
	if by.AgentID == in.Conn { // the client reports no id
		caller.Session = ""
	}
	err = c.Engine.Update(ctx, by, func(o *operation.Op) error {
		a, err := o.Presence().ChooseName(o.View, client, names.Server, caller)
		if err != nil {
			return err
		}
		out = schemas.ConnOut{Agent: a.Card.Name}
		if err := (op{o}).assignName(a, client, caller); err != nil || before.Own == "" || before.Own == a.Card.Name {
			return err
		}
		return op{o}.leaveName(before.Own, before, schemas.ConnIn{Conn: in.Conn, Unused: true}, &schemas.ConnOut{})
	})
	if err == nil {
		c.Engine.Here.RecordName(in.Conn, out.Agent)
	}
	return out, err
}

// Detach announces that a connection is gone. Each lease of a claim over this connection then ends after at most two
// minutes. The result lists the handoffs of these claims. Until the lease ends, the same agent may claim the handoff
// again, see [life.Lost]. If another connection of the same session is open, the claims go on over that connection.
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
		o.SkipAnnouncement()
		for _, a := range agents {
			if err := (op{o}).leaveName(a, conn, in, &out); err != nil {
				return err
			}
		}
		return nil
	})
	if next, ok := c.Engine.Here.Successor(conn); ok {
		for _, a := range agents {
			c.Engine.Here.RecordActing(next.Name, a)
		}
	}
	c.Engine.Here.CloseConnection(in.Conn) // not earlier: the open connection renewed any lease that ended meanwhile
	c.Engine.Hub.EndPlacesOver(in.Conn)
	c.Engine.Hub.Announce(longpoll.OperationEffects{Regrouped: true})
	return out, err
}

// leaveName records that an agent no longer acts over a connection, which is gone or belongs to another session now.
// The name and the claims pass to the newest open connection of the session. If there is none, the leases of the claims
// are shortened, and the handoffs are added to the result.
func (o op) leaveName(a schemas.Agent, was presence.Connection, in schemas.ConnIn, out *schemas.ConnOut) error {
	next, ok := o.Presence().Successor(was)
	for r, err := range o.HandoffsHeldBy(a) {
		switch {
		case err != nil || r.Conn != in.Conn:
		case ok:
			err = o.ChangeRecord(&operation.RecordChange{Action: life.Renew}, r, func(now *store.Record) { now.Conn = next.Name })
		default:
			out.Holding = append(out.Holding, r.ID)
			err = o.shortenLease(r)
		}
		if err != nil {
			return err
		}
	}
	if !ok && o.Presence().ActingOver(a) < 2 { // no other session acts under the name
		if err := o.EndFirstOffers(a); err != nil {
			return err
		}
	}
	return o.recordDetach(a, next.Name, in)
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
			now.Lease = min(r.Lease, store.TimeOf(o.Now.Add(o.Leases.GraceOf(r))))
		}
	})
}

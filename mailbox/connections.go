package mailbox

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// grace is how long a claim outlives its connection.
const grace = 2 * time.Minute

// connections knows which connections are open and when holders were last heard of. It is memory only: a
// process that takes over gives connections that it does not know the grace to show themselves.
type connections struct {
	mu    sync.Mutex // guards the fields below
	open  map[string]*connection
	heard map[schemas.ID]time.Time // calls of holders that changed nothing
}

type connection struct {
	agents  map[schemas.Agent]bool // who acted over it
	ended   schemas.ID             // the handoff that this connection ended last
	endedAt time.Time
}

func newConnections() *connections {
	return &connections{open: map[string]*connection{}, heard: map[schemas.ID]time.Time{}}
}

func (c *connections) attach(name string, a schemas.Agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[name] == nil {
		c.open[name] = &connection{agents: map[schemas.Agent]bool{}}
	}
	if a != "" {
		c.open[name].agents[a] = true
	}
}

func (c *connections) detach(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, name)
}

// agents are those that acted over a connection.
func (c *connections) agents(name string) []schemas.Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.open[name]
	if conn == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(conn.agents))
}

func (c *connections) live(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return name != "" && c.open[name] != nil
}

// met notes that an agent acts over a connection.
func (c *connections) met(name string, a schemas.Agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.open[name]; conn != nil {
		conn.agents[a] = true
	}
}

// acting tells whether an agent acts over an open connection.
func (c *connections) acting(a schemas.Agent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		if conn.agents[a] {
			return true
		}
	}
	return false
}

// hear notes that the holder of a handoff was heard of.
func (c *connections) hear(id schemas.ID, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[id] = at
}

func (c *connections) lastHeard(id schemas.ID) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard[id]
}

// end notes that a connection ended a handoff: what it sends next continues from there.
func (c *connections) end(name string, id schemas.ID, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.heard, id)
	if conn := c.open[name]; conn != nil {
		conn.ended, conn.endedAt = id, at
	}
}

// justEnded is the handoff that a connection ended within the given time before now, or zero.
func (c *connections) justEnded(name string, now time.Time, within time.Duration) schemas.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.open[name]
	if conn == nil || now.Sub(conn.endedAt) > within {
		return 0
	}
	return conn.ended
}

// gone tells whether the connection over which r was claimed is no more.
func (o *op) gone(r *store.Record) bool {
	return r.Conn != "" && !o.conns.live(r.Conn) && (r.Left || o.now.Sub(o.started) > grace)
}

// unseen tells whether nobody knows yet: this process has just begun, and a connection that it did not see
// may be of the one before.
func (o *op) unseen(r *store.Record) bool {
	return r.Conn != "" && !o.conns.live(r.Conn) && !o.gone(r)
}

// forget drops what was noted of a handoff that nobody holds any more.
func (c *connections) forget(ids []schemas.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.heard, id)
	}
}

// Attach tells that a connection is open: claims made over it are renewed until [Service.Detach].
func (s *Service) Attach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	s.conns.attach(in.Conn, by.Agent)
	return out, nil
}

// Detach tells that a connection is gone: the leases of its claims are cut to a grace of two minutes, in
// which the same agent may take them again.
func (s *Service) Detach(ctx context.Context, by schemas.Caller, in schemas.ConnIn) (out schemas.ConnOut, err error) {
	defer s.conns.detach(in.Conn) // until it is done the connection counts: leases that ended meanwhile were renewed
	agents := s.conns.agents(in.Conn)
	if by.Agent != "" && !slices.Contains(agents, by.Agent) {
		agents = append(agents, by.Agent)
	}
	err = s.update(ctx, clockCaller, func(o *op) error {
		out = schemas.ConnOut{}
		for _, a := range agents {
			for id, err := range o.Oldest(store.HeldBy(a), 0) {
				if err != nil {
					return err
				}
				r := o.usable(id)
				if r == nil || r.Conn != in.Conn || !r.Status.Held() {
					continue
				}
				out.Holding = append(out.Holding, id)
				if err := o.cut(r); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return out, err
}

// cut shortens the lease of a claim whose connection is gone.
func (o *op) cut(r *store.Record) error {
	if r.Left {
		return nil
	}
	now, err := o.step(actLost, r)
	if err != nil {
		return err
	}
	if now.Left = true; r.Status != schemas.Waiting { // no lease runs while it waits for an answer
		now.Lease = min(r.Lease, store.At(o.now.Add(grace)))
	}
	return o.put(actLost, r, &now, schemas.Event{}, store.Content{})
}

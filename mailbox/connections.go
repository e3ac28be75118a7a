package mailbox

import (
	"maps"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// connections knows which connections are open and when holders were last heard of. It is memory only: a
// process that takes over gives connections that it does not know the grace to show themselves.
type connections struct {
	mu     sync.Mutex // guards the fields below
	open   map[string]*connection
	opened int                      // how many were, ever
	heard  map[schemas.ID]time.Time // calls of holders that changed nothing
}

type connection struct {
	session string                 // behind it, as its client tells
	parent  int                    // the process that opened it, zero where none is known
	order   int                    // in which they were opened
	agents  map[schemas.Agent]bool // who acted over it
	ended   schemas.ID             // the handoff that this connection ended last
	endedAt time.Time
}

func newConnections() *connections {
	return &connections{open: map[string]*connection{}, heard: map[schemas.ID]time.Time{}}
}

func (c *connections) attach(in schemas.ConnIn, by schemas.Caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.open[in.Conn]
	if conn == nil {
		c.opened++
		conn = &connection{order: c.opened, agents: map[schemas.Agent]bool{}}
		c.open[in.Conn] = conn
	}
	conn.session, conn.parent = by.AgentID, in.Parent
	if by.Agent != "" {
		conn.agents[by.Agent] = true
	}
}

// opener is the process that opened a connection, zero where none is known, and the place of the connection in the
// order in which they were opened, from 1.
func (c *connections) opener(name string) (parent, order int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.open[name]; conn != nil {
		return conn.parent, conn.order
	}
	return 0, 0
}

func (c *connections) detach(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, name)
}

// agents are those that acted over a connection, sorted.
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

// any tells whether there is such an open connection.
func (c *connections) any(such func(name string, conn *connection) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, conn := range c.open {
		if such(name, conn) {
			return true
		}
	}
	return false
}

// acting tells whether an agent acts over an open connection.
func (c *connections) acting(a schemas.Agent) bool {
	return c.any(func(_ string, conn *connection) bool { return conn.agents[a] })
}

// beside tells whether an agent acts over an open connection other than the given one.
func (c *connections) beside(name string, a schemas.Agent) bool {
	return c.any(func(other string, conn *connection) bool { return other != name && conn.agents[a] })
}

// everybody is who acts over any open connection.
func (c *connections) everybody() map[schemas.Agent]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[schemas.Agent]bool{}
	for _, conn := range c.open {
		maps.Copy(all, conn.agents)
	}
	return all
}

// others tells whether an agent acts over an open connection of another session than the given one.
func (c *connections) others(a schemas.Agent, session string) bool {
	return c.any(func(_ string, conn *connection) bool { return conn.agents[a] && conn.session != session })
}

// actsIn tells whether an agent acts over an open connection of a session.
func (c *connections) actsIn(session string, a schemas.Agent) bool {
	return c.any(func(_ string, conn *connection) bool { return conn.session == session && conn.agents[a] })
}

// of are the open connections of a session, sorted.
func (c *connections) of(session string) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, conn := range c.open {
		if session != "" && conn.session == session {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
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

// forget drops what was noted of a handoff that nobody holds any more.
func (c *connections) forget(ids []schemas.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.heard, id)
	}
}

package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Memory is a [Tracker] that knows what is announced to this process. What it remembers grows with the connections that
// are open and the handoffs that are held: closing and [Memory.Forget] take it away.
type Memory struct {
	mu     sync.Mutex               // guards the fields below
	open   map[string]*Connection   // agents are sorted
	opened int                      // how many were, ever
	acting map[schemas.Agent]int    // over how many connections each agent acts
	heard  map[schemas.ID]time.Time // calls of holders that changed nothing
}

// NewMemory makes a tracker that knows of nobody.
func NewMemory() *Memory {
	return &Memory{open: map[string]*Connection{}, acting: map[schemas.Agent]int{}, heard: map[schemas.ID]time.Time{}}
}

// Open implements [Tracker].
func (m *Memory) Open(c Connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.open[c.Name]
	if known == nil {
		m.opened++
		known = &Connection{Name: c.Name, Order: m.opened}
		m.open[c.Name] = known
	}
	known.Session, known.Parent = c.Session, c.Parent
	for _, a := range c.Agents {
		m.add(known, a)
	}
}

// Close implements [Tracker].
func (m *Memory) Close(conn string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.open[conn]; c != nil {
		for _, a := range c.Agents {
			if m.acting[a]--; m.acting[a] == 0 {
				delete(m.acting, a)
			}
		}
	}
	delete(m.open, conn)
}

// Acting implements [Tracker].
func (m *Memory) Acting(a schemas.Agent) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.acting[a] > 0
}

// Acts implements [Tracker].
func (m *Memory) Acts(conn string, a schemas.Agent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.open[conn]; c != nil {
		m.add(c, a)
	}
}

// Hear implements [Tracker].
func (m *Memory) Hear(handoff schemas.ID, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard[handoff] = at
}

// Forget implements [Tracker].
func (m *Memory) Forget(handoffs ...schemas.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range handoffs {
		delete(m.heard, id)
	}
}

// Connection implements [Tracker].
func (m *Memory) Connection(conn string) (c Connection, open bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.open[conn]
	if known == nil {
		return c, false
	}
	return known.shown(), true
}

// Connections implements [Tracker].
func (m *Memory) Connections(f Filter) (matching []Connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.open {
		if (f.Agent == "" || slices.Contains(c.Agents, f.Agent)) && (f.Session == "" || c.Session == f.Session) {
			matching = append(matching, c.shown())
		}
	}
	slices.SortFunc(matching, func(a, b Connection) int { return strings.Compare(a.Name, b.Name) })
	return matching
}

// LastHeard implements [Tracker].
func (m *Memory) LastHeard(handoff schemas.ID) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard[handoff]
}

// add notes that an agent acts over the connection.
func (m *Memory) add(c *Connection, a schemas.Agent) {
	if i, found := slices.BinarySearch(c.Agents, a); !found {
		c.Agents = slices.Insert(c.Agents, i, a)
		m.acting[a]++
	}
}

// shown is a copy for a caller. It shares no list with the tracker, so callers may change it.
func (c *Connection) shown() Connection {
	shown := *c
	shown.Agents = slices.Clone(c.Agents)
	return shown
}

// Package presence tracks open connections, the agents that act over them, and the last calls of holders. Its [Clock]
// measures how long the machine slept. Package mailbox decides what follows, for example that a lease ends.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Tracker knows the open connections and the agents that act over them. It exists in the process that owns the
// workspace, and knows only connections that were announced to this process. Its contents are lost when the process
// ends.
//
// The methods may be called concurrently, and inside a transaction that may run twice. They do not block and do not
// fail, and a repeated call changes nothing. Callers may change the returned values.
type Tracker struct {
	mu     sync.Mutex             // guards the fields below
	open   map[string]*Connection // agents are sorted
	opened int                    // how many were opened since the start
	acting map[schemas.Agent]int  // number of connections that each agent acts over
	heard  map[string]time.Time   // calls of holders that changed nothing, by claim token
}

// NewTracker makes an empty tracker.
func NewTracker() *Tracker {
	return &Tracker{open: map[string]*Connection{}, acting: map[schemas.Agent]int{}, heard: map[string]time.Time{}}
}

// OpenConnection records that a connection is open. If the connection is open already, it keeps its place in the order
// of connections. The facts about its client are replaced. Its own name is replaced if c has one, in the same step, so
// that no other session gets the name in between.
func (t *Tracker) OpenConnection(c Connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.open[c.Name]
	if known == nil {
		t.opened++
		known = &Connection{Name: c.Name, Order: t.opened}
		t.open[c.Name] = known
	}
	known.Session, known.Parent = c.Session, c.Parent
	if c.Own != "" {
		t.setOwnName(known, c.Own)
	}
}

// CloseConnection removes a connection with all facts about it.
func (t *Tracker) CloseConnection(conn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		for _, a := range c.Agents {
			t.stopActing(a)
		}
	}
	delete(t.open, conn)
}

// IsActing reports whether an agent acts over an open connection: the connection was announced for the agent, or the
// agent made a call over it.
func (t *Tracker) IsActing(a schemas.Agent) bool { return t.ActingOver(a) > 0 }

// ActingOver returns the number of open connections over which an agent acts.
func (t *Tracker) ActingOver(a schemas.Agent) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.acting[a]
}

// RecordActing records that an agent acts over a connection. It changes nothing if the connection is not open.
func (t *Tracker) RecordActing(conn string, a schemas.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		t.addAgent(c, a)
	}
}

// RecordName records the name of the connection's own session. The agent acts over the connection from now on. An
// earlier name does not.
func (t *Tracker) RecordName(conn string, a schemas.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		t.setOwnName(c, a)
	}
}

// setOwnName replaces the name of the connection's own session.
func (t *Tracker) setOwnName(c *Connection, a schemas.Agent) {
	if i, found := slices.BinarySearch(c.Agents, c.Own); found {
		c.Agents = slices.Delete(c.Agents, i, i+1)
		t.stopActing(c.Own)
	}
	c.Own = a
	t.addAgent(c, a)
}

// RecordHeard records the time of a holder's call; token is the claim token. The service calls it only after a call
// that does not change the handoff, because the store keeps the time of each change.
func (t *Tracker) RecordHeard(token string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[token] = at
}

// ForgetClaims drops the recorded times of claims that ended; tokens are their claim tokens. A new claim of the same
// handoff has another token, so its time stays.
func (t *Tracker) ForgetClaims(tokens ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range tokens {
		delete(t.heard, token)
	}
}

// Connection returns an open connection. If the connection is not open, it returns the zero value and false.
func (t *Tracker) Connection(conn string) (c Connection, open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.open[conn]
	if known == nil {
		return c, false
	}
	return known.clone(), true
}

// Connections returns the open connections that match, by name.
func (t *Tracker) Connections(f ConnectionFilter) (matching []Connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.open {
		if (f.Agent == "" || slices.Contains(c.Agents, f.Agent)) && (f.Session == "" || c.Session == f.Session) {
			matching = append(matching, c.clone())
		}
	}
	slices.SortFunc(matching, func(a, b Connection) int { return strings.Compare(a.Name, b.Name) })
	return matching
}

// LastHeard returns the time of a holder's last recorded call; token is the claim token. It returns the zero time if no
// call was recorded.
func (t *Tracker) LastHeard(token string) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[token]
}

// addAgent records that an agent acts over the connection.
func (t *Tracker) addAgent(c *Connection, a schemas.Agent) {
	if i, found := slices.BinarySearch(c.Agents, a); !found {
		c.Agents = slices.Insert(c.Agents, i, a)
		t.acting[a]++
	}
}

// stopActing records that an agent acts over one connection less.
func (t *Tracker) stopActing(a schemas.Agent) {
	if t.acting[a]--; t.acting[a] == 0 {
		delete(t.acting, a)
	}
}

// clone returns a copy that shares no list with the tracker, so callers may change the copy.
func (c *Connection) clone() Connection {
	shown := *c
	shown.Agents = slices.Clone(c.Agents)
	return shown
}

// Connection is one client's connection to a server of this workspace.
type Connection struct {
	Name    string
	Own     schemas.Agent   // the name of its session, see [Tracker.RecordName]
	Session string          // the client's session id; Name if the client reports none
	Parent  int             // id of the process that opened it, zero if unknown
	Order   int             // order of opening, from 1; callers of OpenConnection leave it out
	Agents  []schemas.Agent // agents that acted over it, by name
}

// IsSameSession reports whether two connections belong to one client session: they have one name, and one id of a
// session or one process that opened them. A client may start its server several times for one session, and a person
// may give one name to all threads of a process. Otherwise, each thread has its own name.
func (c Connection) IsSameSession(d Connection) bool {
	same := c.Name != "" && c.Name == d.Name || c.Session != "" && c.Session == d.Session || c.Parent != 0 && c.Parent == d.Parent
	return same && c.Own == d.Own
}

// ConnectionFilter selects connections. An empty field matches all.
type ConnectionFilter struct {
	Agent   schemas.Agent // an agent that acts over it
	Session string        // its session
}

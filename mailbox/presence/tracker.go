// Package presence tracks open connections, the agents that act over them, and the last calls of holders. Its [Clock]
// knows how long the machine slept, because a sleep does not count as silence. Package mailbox has the rules that
// follow, such as the end of a lease or a free name.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Tracker tracks present agents, for the one process that owns a workspace. The mailbox asks it whether a lease goes
// on, whether a name is free, which mail is orphaned, and which agents are listed as live.
//
// The methods may be called concurrently, and inside a transaction, which may run twice: they do not block, do not
// fail, and a repeated note changes nothing. Returned values belong to the caller.
//
// It knows connections that were announced to this process, and ends with it. The mailbox gives other connections some
// time to be announced, and then counts them as gone. Its memory grows with open connections and held handoffs:
// [Tracker.Close] and [Tracker.Forget] shrink it.
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

// Open notes that a connection is open. A connection that is open already keeps its order and its agents; its session
// and its parent are replaced, and agents are added.
func (t *Tracker) Open(c Connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.open[c.Name]
	if known == nil {
		t.opened++
		known = &Connection{Name: c.Name, Order: t.opened}
		t.open[c.Name] = known
	}
	known.Session, known.Parent = c.Session, c.Parent
	for _, a := range c.Agents {
		t.add(known, a)
	}
}

// Close removes a connection with all facts about it.
func (t *Tracker) Close(conn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		for _, a := range c.Agents {
			if t.acting[a]--; t.acting[a] == 0 {
				delete(t.acting, a)
			}
		}
	}
	delete(t.open, conn)
}

// IsActing tells whether an agent acts over an open connection: the connection was announced for it, or the agent made
// a call over it. It takes as long with a thousand connections as with one.
func (t *Tracker) IsActing(a schemas.Agent) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.acting[a] > 0
}

// NoteActing notes that an agent acts over a connection. It changes nothing if the connection is not open.
func (t *Tracker) NoteActing(conn string, a schemas.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		t.add(c, a)
	}
}

// NoteHeard notes a holder's call that changed nothing, under the token of its claim. A call that changes the handoff
// writes the time to the store.
func (t *Tracker) NoteHeard(token string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[token] = at
}

// Forget drops the times of claims that ended. It runs after the commit, when the handoff may have a new holder
// already. The times are kept by token, so the time of the new claim stays.
func (t *Tracker) Forget(tokens ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range tokens {
		delete(t.heard, token)
	}
}

// Connection returns an open connection, the zero value if it is not open.
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
func (t *Tracker) Connections(f Filter) (matching []Connection) {
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

// LastHeard returns the last call of a holder under the token of its claim, zero for none.
func (t *Tracker) LastHeard(token string) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[token]
}

// add notes that an agent acts over the connection.
func (t *Tracker) add(c *Connection, a schemas.Agent) {
	if i, found := slices.BinarySearch(c.Agents, a); !found {
		c.Agents = slices.Insert(c.Agents, i, a)
		t.acting[a]++
	}
}

// clone returns a copy that shares no list with the tracker, so callers may change it.
func (c *Connection) clone() Connection {
	shown := *c
	shown.Agents = slices.Clone(c.Agents)
	return shown
}

// Connection is one client's connection to a server of this workspace.
type Connection struct {
	Name    string
	Session string          // the client's session id, empty if the client reports none
	Parent  int             // number of the process that opened it, zero if unknown
	Order   int             // order of opening, from 1; callers of Open leave it out
	Agents  []schemas.Agent // agents that acted over it, by name
}

// Filter selects connections. An empty field matches all.
type Filter struct {
	Agent   schemas.Agent // an agent that acts over it
	Session string        // its session
}

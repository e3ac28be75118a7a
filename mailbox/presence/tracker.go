// Package presence tracks open connections, the agents that act over them, and the last calls of holders. Its [Clock]
// measures how long the machine slept, because an agent cannot make calls during that time. Package mailbox decides the
// consequences, for example that a lease ends or that a name is free.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Tracker tracks which agents are present. The one process that owns a workspace has it. Package mailbox uses it to
// decide whether a lease goes on, whether a name is free, which mail has no agent left that could take it, and which
// agents are listed as live.
//
// The methods may be called concurrently. They may also be called inside a transaction, which the store may run twice,
// because they do not block, do not fail, and change nothing when the same call is repeated. Callers may change the
// returned values.
//
// A tracker knows only connections that were announced to this process, and its contents are lost when the process
// ends. Package mailbox gives connections from the time before some time to be announced, and then counts them as gone.
// The memory of a tracker grows with the number of open connections and claimed handoffs; [Tracker.CloseConnection] and
// [Tracker.ForgetClaims] free it.
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

// OpenConnection notes that a connection is open. If the connection is open already, it keeps its place in the order of
// connections; its session and its parent process are replaced by the values in c, and the agents in c are added to its
// agents.
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
	for _, a := range c.Agents {
		t.addAgent(known, a)
	}
}

// CloseConnection removes a connection with all facts about it.
func (t *Tracker) CloseConnection(conn string) {
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

// IsActing reports whether an agent acts over an open connection: the connection was announced for the agent, or the
// agent made a call over it. The time that it takes does not depend on the number of connections.
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
		t.addAgent(c, a)
	}
}

// NoteHeard notes the time of a holder's call that changed nothing; token is the token of the holder's claim. For a
// call that changes the handoff the store keeps the time instead.
func (t *Tracker) NoteHeard(token string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[token] = at
}

// ForgetClaims drops the noted times of claims that ended; tokens are their claim tokens. It runs after the commit,
// when the handoff may have a new holder already. The new holder's claim has another token, so its time stays.
func (t *Tracker) ForgetClaims(tokens ...string) {
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

// LastHeard returns the time of a holder's last noted call; token is the token of its claim. It returns the zero time
// if no call was noted.
func (t *Tracker) LastHeard(token string) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[token]
}

// addAgent notes that an agent acts over the connection.
func (t *Tracker) addAgent(c *Connection, a schemas.Agent) {
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

// ConnectionFilter selects connections. An empty field matches all.
type ConnectionFilter struct {
	Agent   schemas.Agent // an agent that acts over it
	Session string        // its session
}

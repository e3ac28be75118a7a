// Package presence knows who is here: which connections are open, which agents act over them, and when the holder of
// a handoff was last heard of. Its [Clock] knows how long the machine slept, because a sleep is nobody's silence.
// What follows from it, such as the end of a lease or a name that is free, are rules of package mailbox.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Tracker is who is here, for the one process that owns a workspace. The mailbox asks it whether a lease goes on,
// whether a name is free, whose mail is orphaned, and who is listed as live.
//
// The methods may be called concurrently, and inside a transaction, which may run twice: they do not block, do not
// fail, and a note that is repeated changes nothing. What they return belongs to the caller.
//
// It knows what is announced to this process, and ends with it. The mailbox gives connections that a new tracker does
// not know some time to be announced, and takes them for gone after that. What it remembers grows with the connections
// that are open and the handoffs that are held: closing and [Tracker.Forget] take it away.
type Tracker struct {
	mu     sync.Mutex             // guards the fields below
	open   map[string]*Connection // agents are sorted
	opened int                    // how many were, ever
	acting map[schemas.Agent]int  // over how many connections each agent acts
	heard  map[string]time.Time   // calls of holders that changed nothing, by claim token
}

// NewTracker makes a tracker that knows of nobody.
func NewTracker() *Tracker {
	return &Tracker{open: map[string]*Connection{}, acting: map[schemas.Agent]int{}, heard: map[string]time.Time{}}
}

// Open notes that a connection is open. One that is open already keeps its order and its agents; its session and
// its parent become those given, and agents are added.
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

// Close notes that a connection is gone, with all that was known of it.
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

// IsActing tells whether an agent acts over an open connection: it was announced for it, or made a call over it. It takes
// as long with a thousand connections as with one.
func (t *Tracker) IsActing(a schemas.Agent) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.acting[a] > 0
}

// NoteActing notes that an agent acts over a connection. It opens none: where the connection is not open, nothing
// changes.
func (t *Tracker) NoteActing(conn string, a schemas.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil {
		t.add(c, a)
	}
}

// NoteHeard notes that a holder was heard of by a call that changed nothing, under the token of its claim. A call that
// changes the handoff writes the time to the store.
func (t *Tracker) NoteHeard(token string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[token] = at
}

// Forget drops the times of claims that ended. It comes after the commit, when the handoff may have a new holder already,
// so it goes by the token: the time of the new claim stays.
func (t *Tracker) Forget(tokens ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, token := range tokens {
		delete(t.heard, token)
	}
}

// Connection is what is known of an open connection, zero when it is not open.
func (t *Tracker) Connection(conn string) (c Connection, open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.open[conn]
	if known == nil {
		return c, false
	}
	return known.clone(), true
}

// Connections are the open connections that match, by name.
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

// LastHeard is when a holder was heard of last under the token of its claim, zero for never.
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

// clone is a copy for a caller. It shares no list with the tracker, so callers may change it.
func (c *Connection) clone() Connection {
	shown := *c
	shown.Agents = slices.Clone(c.Agents)
	return shown
}

// Connection is one client that is connected to a server of this workspace.
type Connection struct {
	Name    string
	Session string          // behind it, as its client tells; empty where the client tells none
	Parent  int             // number of the process that opened it, zero where none is known
	Order   int             // from 1, in which the connections were opened; whoever opens one leaves it out
	Agents  []schemas.Agent // who acted over it, by name
}

// Filter says which connections are wanted. A field that is empty matches all.
type Filter struct {
	Agent   schemas.Agent // acts over it
	Session string        // is behind it
}

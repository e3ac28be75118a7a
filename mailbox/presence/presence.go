// Package presence knows who is here: which connections are open, which agents act over them, and when the holder of
// a handoff was last heard of. Its [Clock] knows how long the machine slept, because a sleep is nobody's silence.
// What follows from it, such as the end of a lease or a name that is free, are rules of package mailbox.
//
// All of it is memory of one process: the one that owns the workspace, to which the others announce their connections. It
// is lost when that process ends, and made again as connections are announced to the next one. Nothing here is written,
// because it would be wrong by the time it was read.
package presence

import (
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/schemas"
)

// Connection is one client that is connected to a server of this workspace. What a [Tracker] gives is a copy.
type Connection struct {
	Name    string
	Session string          // behind it, as its client tells; empty where the client tells none
	Parent  int             // number of the process that opened it, zero where none is known
	Order   int             // from 1, in which the connections were opened; whoever opens one leaves it out
	Agents  []schemas.Agent // who acted over it, by name
}

// Filter says which connections are wanted. A field that is empty matches all, so the zero filter matches every
// connection.
type Filter struct {
	Agent   schemas.Agent // acts over it
	Session string        // is behind it
}

// Tracker is who is here, for the one process that owns a workspace. The mailbox asks it whether a lease goes on,
// whether a name is free, whose mail is orphaned, and who is listed as live.
//
// The methods may be called concurrently, and inside a transaction, which may run twice: they do not block on anything
// but each other, do not fail, and a note that is repeated changes nothing. What they return belongs to the caller.
//
// A tracker does not outlive its process. The mailbox gives connections that a new tracker does not know some time to
// be announced, and takes them for gone after that. Several servers over one store would need one tracker for all: each
// knows only what was announced to it, and would let the leases of the others lapse and give their names away.
type Tracker struct {
	mu     sync.Mutex               // guards the fields below
	open   map[string]*Connection   // agents are sorted
	opened int                      // how many were, ever
	heard  map[schemas.ID]time.Time // calls of holders that changed nothing
}

// NewTracker makes a tracker that knows of nobody. A process that becomes the owner of a workspace begins with one.
func NewTracker() *Tracker {
	return &Tracker{open: map[string]*Connection{}, heard: map[schemas.ID]time.Time{}}
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
		known.add(a)
	}
}

// Close notes that a connection is gone, with all that was known of it. One that is opened again under the same name is
// a new one, with a later order. What its agents hold is not looked at: the mailbox does that.
func (t *Tracker) Close(conn string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, conn)
}

// Acts notes that an agent acts over a connection. It opens none: where the connection is not open, or no agent is
// named, nothing changes. Subagents of one client act over one connection, so it may have many.
func (t *Tracker) Acts(conn string, a schemas.Agent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.open[conn]; c != nil && a != "" {
		c.add(a)
	}
}

// Hear notes that the holder of a handoff was heard of by a call that changed nothing. What changes the handoff is in
// the store. A later note takes the place of an earlier one.
func (t *Tracker) Hear(handoff schemas.ID, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[handoff] = at
}

// Forget drops when the holders of these handoffs were heard of: nobody holds them any more.
func (t *Tracker) Forget(handoffs ...schemas.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range handoffs {
		delete(t.heard, id)
	}
}

// Connection is what is known of an open connection, zero when it is not open. It tells nothing of one that was never
// announced here, such as those of an earlier service.
func (t *Tracker) Connection(conn string) (c Connection, open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.open[conn]
	if known == nil {
		return c, false
	}
	return known.shown(), true
}

// Connections are the open connections that match, by name. There are as many as clients are connected, so it is asked
// freely.
func (t *Tracker) Connections(f Filter) (matching []Connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.open {
		if (f.Agent == "" || slices.Contains(c.Agents, f.Agent)) && (f.Session == "" || c.Session == f.Session) {
			matching = append(matching, c.shown())
		}
	}
	slices.SortFunc(matching, func(a, b Connection) int { return strings.Compare(a.Name, b.Name) })
	return matching
}

// LastHeard is when the holder of a handoff was heard of last by a call that changed nothing, zero for never. The
// caller compares it with the time of the last change, which the record has.
func (t *Tracker) LastHeard(handoff schemas.ID) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[handoff]
}

// add notes that an agent acts over the connection.
func (c *Connection) add(a schemas.Agent) {
	if i, found := slices.BinarySearch(c.Agents, a); !found {
		c.Agents = slices.Insert(c.Agents, i, a)
	}
}

// shown is a copy for a caller.
func (c *Connection) shown() Connection {
	shown := *c
	shown.Agents = slices.Clone(c.Agents)
	return shown
}

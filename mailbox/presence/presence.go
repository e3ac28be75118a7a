// Package presence knows who is here: which connections are open, which agents act over them, and when the holder of
// a handoff was last heard of. Its [Clock] knows how long the machine slept, because a sleep is nobody's silence.
// What follows from it, such as the end of a lease or a name that is free, are rules of package mailbox.
package presence

import (
	"time"

	"handoff/schemas"
)

// Tracker is who is here, for the one process that owns a workspace. The mailbox asks it whether a lease goes on,
// whether a name is free, whose mail is orphaned, and who is listed as live.
//
// The methods may be called concurrently, and inside a transaction, which may run twice: they do not block, do not
// fail, and a note that is repeated changes nothing. What they return belongs to the caller.
//
// A tracker need not outlive its process. The mailbox gives connections that a new tracker does not know some time
// to be announced, and takes them for gone after that. So a tracker that several servers share answers for the
// connections of all of them: one that knew only its own would let the leases of the others lapse and give their
// names away.
type Tracker interface {
	// Open notes that a connection is open. One that is open already keeps its order and its agents; its session and
	// its parent become those given, and agents are added.
	Open(c Connection)

	// Close notes that a connection is gone, with all that was known of it.
	Close(conn string)

	// Acts notes that an agent acts over a connection. It opens none: where the connection is not open, nothing
	// changes.
	Acts(conn string, a schemas.Agent)

	// Hear notes that the holder of a handoff was heard of by a call that changed nothing. What changes the handoff
	// is in the store.
	Hear(handoff schemas.ID, at time.Time)

	// Forget drops when the holders of these handoffs were heard of: nobody holds them any more.
	Forget(handoffs ...schemas.ID)

	// Connection is what is known of an open connection, zero when it is not open.
	Connection(conn string) (c Connection, open bool)

	// Acting tells whether an agent acts over an open connection: it was announced for it, or made a call over it. It takes as long with a thousand connections as with
	// one.
	Acting(a schemas.Agent) bool

	// Connections are the open connections that match, by name.
	Connections(f Filter) []Connection

	// LastHeard is when the holder of a handoff was heard of last, zero for never.
	LastHeard(handoff schemas.ID) time.Time
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

// Package presence knows who is here: which connections are open, which agents act over them, and when the holder of
// a handoff was last heard of. Its [Clock] knows how long the machine slept, because a sleep is nobody's silence.
// What follows from it, such as the end of a lease or a name that is free, are rules of package mailbox.
package presence

import "handoff/schemas"

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

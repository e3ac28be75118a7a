// Package names holds the life of a session's name as tables. A session whose client chose no name is given the name of
// its client, with a number if other sessions have it: claude-code, claude-code-2, claude-code-3.
//
// Three callers ask for the name of a session, and each has other ties to it: the server that the client starts, the
// hook that runs when the session begins, and a shell in the session. [Name.State] returns the state of a name, which
// is the same for all callers. A [Ladder] chooses the name of a caller by its ties to names and by their states.
// [Name.IsVacantFor] says which names are for callers without a tie.
//
// A name is an address as well: mail is sent to it, and stays there when its session ends. So the tables prefer to give
// a session its former name, and never give away a name that a session may still use.
//
// The package reads no clock and no store. Package mailbox calls it and stores the results.
package names

import (
	"strconv"
	"time"

	"handoff/schemas"
)

const (
	// KeptFor is how long a name is kept for a session that left: a person who comes back after a weekend still has it.
	KeptFor = 7 * 24 * time.Hour

	// ExpectedFor is how long a server may take to start after the hook of its session. After it the name is free for
	// any session.
	ExpectedFor = time.Minute

	// Settling is how long a new service presumes connections open that were not closed before. Their processes
	// announce them within milliseconds, unless they were killed.
	Settling = 5 * time.Second
)

// Name holds the facts about a name at one time. Package mailbox fills it in from the stored row of the name and from
// the open connections; this package stores nothing.
type Name struct {
	Agent  schemas.Agent // the name itself
	Client schemas.Agent // the client whose sessions were given it; empty if the name was chosen or is new

	Session string        // the last session with it, empty if the client reports no session id
	Conn    string        // of that session
	Process string        // behind the connection, or whose server is expected
	Left    bool          // the connection was closed, or its server is expected
	Unseen  time.Duration // since the session was last seen under the name

	Open    bool // the connection is open
	Settled bool // a connection that is not known to be open is gone
	Shared  bool // over an open connection another session than the caller's acts under the name
}

// State is the state of a name. States are bits, so that a rung of a ladder may list several; a name is in exactly one.
type State uint8

// The states, from free to held.
const (
	// Free is a name that no session has or keeps: it may be given to any session.
	Free State = 1 << iota
	// Kept is a name that no session has, and that is kept for its last session for a week.
	Kept
	// Expected is a name that a hook told its session before the server started. It lasts a minute.
	Expected
	// Presumed is a name whose connection may be open: it was not closed, and the service has just begun.
	Presumed
	// Open is a name whose connection is open.
	Open
)

const (
	heldStates   = Open | Presumed
	unheldStates = Free | Kept | Expected
)

// State returns the state of a name. The first state that applies holds: an open connection counts before an expected
// server, and that before a kept name.
func (n Name) State() State {
	switch {
	case n.Open:
		return Open
	case n.Conn != "" && !n.Left && !n.Settled:
		return Presumed
	case n.Left && n.Process != "" && n.Unseen < ExpectedFor:
		return Expected
	case n.Session != "" && n.Unseen < KeptFor:
		return Kept
	}
	return Free
}

// IsHeld reports whether a session has the name now: its connection is open, or may be.
func (n Name) IsHeld() bool { return n.State()&heldStates != 0 }

// IsVacantFor reports whether the name may be given to a session of a client that has no tie to it. The client's own
// name is not kept for its last session, and a numbered name is given to no other client.
func (n Name) IsVacantFor(client schemas.Agent) bool {
	state, own := n.State(), n.Agent == client
	ofClient := own || n.Client == "" || n.Client == client
	return !n.Shared && (state == Free && ofClient || state == Kept && own)
}

// maxLength is the limit that [schemas.ParseAgent] sets.
const maxLength = 64 // characters of a name

// NthName returns the name of a client's n-th session, from 1: the first is the client's own name, the others add a
// number. It cuts a client's name that is too long for the number, so that each result is a valid name. Two long names
// of clients that differ only at their ends may be cut to the same name; [Name.IsVacantFor] then passes over a name
// that was given to the other client.
func NthName(client schemas.Agent, n int) schemas.Agent {
	if n == 1 {
		return client
	}
	number := "-" + strconv.Itoa(n)
	return client[:min(len(client), maxLength-len(number))] + schemas.Agent(number)
}

// CommonPrefix returns the common beginning of all names of a client's sessions, up to number 99,999. Names of other
// clients may have the same beginning, so callers that search by it compare the client.
func CommonPrefix(client schemas.Agent) string {
	return string(client[:min(len(client), maxLength-len("-99999"))])
}

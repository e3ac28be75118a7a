// Package names decides which name a session of a client gets. A session whose client chose no name gets the name of
// its client, with a number if another session has that name: claude-code, claude-code-2, claude-code-3.
//
// Package mailbox fills in a [Name] for each known name of the client, and a [Caller] for the session. [Name.State]
// returns the state of a name. A [Ladder] chooses a name that is tied to the caller, for example by the same process.
// If no name is tied to the caller, the caller gets a name for which [Name.IsVacantFor] is true.
//
// Mail is sent to names and stays in the mailbox when a session ends. So a session gets its former name if possible. No
// session gets a name that another session may still use.
//
// This package reads no clock and no store.
package names

import (
	"strconv"
	"time"

	"handoff/schemas"
)

const (
	// KeptFor is how long the server keeps the name of a session that left, so that a person who continues the session
	// after a weekend gets the same name.
	KeptFor = 7 * 24 * time.Hour

	// ExpectedFor is how long a server may take to start after the hook of its session has run. After this time any
	// session may get the name.
	ExpectedFor = time.Minute

	// SettlingTime is how long a new service presumes that connections of the previous service are still open. Running
	// processes announce their connections within milliseconds.
	SettlingTime = 5 * time.Second
)

// Name holds the facts about a name at one time. Package mailbox takes the facts from the stored row of the name and
// from the open connections.
type Name struct {
	Agent  schemas.Agent // the name itself
	Client schemas.Agent // the client whose sessions were given it; empty if the name was chosen or is new

	Session string        // the last session with it, empty if the client reports no session id
	Conn    string        // of that session
	Process string        // behind the connection, or whose server is expected
	Parent  int           // the process that opened the connection, zero if unknown
	Left    bool          // the connection was closed, or its server is expected
	Unseen  time.Duration // since the session was last seen under the name

	Open    bool // the connection is open
	Settled bool // a connection that is not known to be open is gone
	Shared  bool // over an open connection another session than the caller's acts under the name
}

// State is the state of a name. A name is in exactly one state. Each state is a bit, so that a rung of a ladder can
// list several states.
type State uint8

// The states, from free to held.
const (
	// Free is the state of a name that no session has. Any session may get the name.
	Free State = 1 << iota
	// Kept is the state of a name that is kept for its last session for a week.
	Kept
	// Expected is the state of a name that the hook of a session got before the server of the session started. The
	// state lasts at most a minute.
	Expected
	// Presumed is the state of a name whose connection may be open: nobody closed the connection, and the service has
	// just begun.
	Presumed
	// Open is the state of a name whose connection is open.
	Open
)

const (
	heldStates   = Open | Presumed
	unheldStates = Free | Kept | Expected
)

// State returns the state of a name. If several states fit, the first of these counts: Open, Presumed, Expected, Kept.
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

// IsHeld reports whether a session has the name now, because its connection is open or presumed open.
func (n Name) IsHeld() bool { return n.State()&heldStates != 0 }

// IsVacantFor reports whether a session of client may get the name, although nothing (such as an earlier connection)
// ties the session to the name. The client's own name is vacant even if it is kept for an earlier session. A numbered
// name is never vacant for another client.
func (n Name) IsVacantFor(client schemas.Agent) bool {
	state, own := n.State(), n.Agent == client
	ofClient := own || n.Client == "" || n.Client == client
	return !n.Shared && (state == Free && ofClient || state == Kept && own)
}

// maxLength is the limit that [schemas.ParseAgent] sets.
const maxLength = 64 // characters of a name

// NthName returns the name of a client's n-th session: the client's own name if n is 1, otherwise the name with the
// number. It shortens a long name of a client, so that the result is a valid name. Two long names may become equal, but
// [Name.IsVacantFor] refuses a name of another client.
func NthName(client schemas.Agent, n int) schemas.Agent {
	if n == 1 {
		return client
	}
	number := "-" + strconv.Itoa(n)
	return client[:min(len(client), maxLength-len(number))] + schemas.Agent(number)
}

// CommonPrefix returns the common beginning of all names of a client's sessions, for numbers up to 99,999. Names of
// other clients may begin in the same way, so callers must compare the client, too.
func CommonPrefix(client schemas.Agent) string {
	return string(client[:min(len(client), maxLength-len("-99999"))])
}

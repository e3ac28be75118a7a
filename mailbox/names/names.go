// Package names is the life of a session's name as tables. A session whose client chose no name is given the name of
// its client, numbered while others have it: claude-code, claude-code-2, claude-code-3.
//
// Three callers ask for the name of a session, and each knows it by other ties: the server that the client starts,
// the hook that runs when the session begins, and a shell in which somebody works. [Name.State] says in which state a
// name is, whoever asks. A [Ladder] says which names a caller acts under, by the ties that the caller has to them and
// by their states, and [Name.Vacant] which names are for callers without a tie.
//
// A name is an address as well: mail is sent to it, and stays there when its session ends. So the tables lean towards
// giving a session the name that it had, and never give away a name that somebody may still act under.
//
// The package reads no clock and no store: package mailbox asks it, and keeps what follows.
package names

import (
	"strconv"
	"time"

	"handoff/schemas"
)

const (
	// KeptFor is how long a session that left keeps its name: a person who comes back after a weekend has it still.
	KeptFor = 7 * 24 * time.Hour

	// ExpectedFor is how long a server may take to start after the hook of its session. After it the name goes to
	// whoever asks.
	ExpectedFor = time.Minute

	// Settling is how long a service that has begun presumes connections open of which it knows only that nobody
	// closed them. Their processes announce them anew within milliseconds, unless they were killed.
	Settling = 5 * time.Second
)

// Name is what is known of a name at one moment. Package mailbox fills it in from the row that is kept of the name, and
// from the connections that are open; nothing here is kept.
type Name struct {
	Agent  schemas.Agent // the name itself
	Client schemas.Agent // whose sessions were given it; empty for a name that nobody was given

	Session string        // that had it last, empty for one that cannot be told when it comes back
	Conn    string        // of that session
	Process string        // behind the connection, or whose server is expected
	Left    bool          // the connection was closed, or its server is expected
	Unseen  time.Duration // since the session was last seen under the name

	Open    bool // the connection is open
	Settled bool // a connection that is not known to be open is gone
	Shared  bool // over an open connection another session than the caller's acts under the name
}

// State is in which state a name is. States are bits, so that a rung of a ladder names several; a name is in exactly
// one.
type State uint8

// The states, from free to held.
const (
	// Free is a name that nobody has and nobody keeps: whoever needs a name may be given it.
	Free State = 1 << iota
	// Kept is a name that nobody has, and that the session which had it keeps for a week.
	Kept
	// Expected is a name that a hook told its session, whose server is about to come. It lasts a minute.
	Expected
	// Presumed is a name whose connection may be open: nobody closed it, and the service has just begun.
	Presumed
	// Open is a name whose connection is open.
	Open
)

const (
	held = Open | Presumed
	gone = Free | Kept | Expected
)

// State is the state of a name. Exactly one state holds, by the first that applies: who is here comes before who is
// expected, and that before who keeps the name.
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

// Held tells whether a session has the name now, as far as anybody knows: its connection is open, or may be.
func (n Name) Held() bool { return n.State()&held != 0 }

// Vacant tells whether the name may be given to a session of a client that has no tie to it. That of the client itself
// is kept for nobody, and a numbered one is given to no other client.
func (n Name) Vacant(client schemas.Agent) bool {
	state, own := n.State(), n.Agent == client
	ofClient := own || n.Client == "" || n.Client == client
	return !n.Shared && (state == Free && ofClient || state == Kept && own)
}

// maxLength is the limit that [schemas.ParseAgent] sets.
const maxLength = 64 // characters of a name

// Nth is the name of a client's n-th session, from 1: the first has the client's own name, the others a number behind
// it. The name of a client that is too long for a number is cut, so that each is a valid name. Two long names of
// clients that differ only at their ends may be cut to the same name; [Name.Vacant] then passes over one that was given
// to the other.
func Nth(client schemas.Agent, n int) schemas.Agent {
	if n == 1 {
		return client
	}
	number := "-" + strconv.Itoa(n)
	return client[:min(len(client), maxLength-len(number))] + schemas.Agent(number)
}

// Prefix is how all names of a client's sessions begin, up to number 99,999. Names of other clients may begin so as
// well: who searches by it compares the client.
func Prefix(client schemas.Agent) string {
	return string(client[:min(len(client), maxLength-len("-99999"))])
}

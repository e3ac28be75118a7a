package names

import (
	"slices"

	"handoff/schemas"
)

// Caller is a caller that asks for the name of its session. An empty field is unknown, and ties no name to the caller.
type Caller struct {
	Session    string        // the client's id of it
	Conn       string        // the connection that it opens, for a server
	Process    string        // of the client, or the process whose server is expected
	ServerName schemas.Agent // the name of a server that the same process started, for a shell
}

// tieTest reports whether a fact connects a caller to a name. It is pure, and false for a caller that does not know the
// fact.
type tieTest func(Name, Caller) bool

// tiedByConnection ties the server whose connection was given the name. This is the strongest tie, since each
// connection has one server.
func tiedByConnection(n Name, c Caller) bool { return c.Conn != "" && n.Conn == c.Conn }

// tiedByProcess ties callers that belong to the process behind the name. The system may have given the number of a
// killed process to another one.
func tiedByProcess(n Name, c Caller) bool {
	return c.Process != "" && n.Process == c.Process && (n.Left || n.IsHeld())
}

// tiedBySession ties the session that has the name, or kept it for a week after it left.
func tiedBySession(n Name, c Caller) bool {
	return c.Session != "" && n.Session == c.Session && (!n.Left || n.Unseen < KeptFor)
}

// tiedByServer ties a shell to the server that its client started.
func tiedByServer(n Name, c Caller) bool { return c.ServerName != "" && n.Agent == c.ServerName }

// Ladder chooses the name under which a caller acts, among the names that are tied to it. The first rung with a
// matching name decides.
type Ladder []rung

// rung matches names in some states that have a tie to the caller. It matches a name under which another session acts
// only if shared is set.
type rung struct {
	tieTest
	states State
	shared bool // also names under which another session acts
}

// The ladders. A server and a hook take the name, so they skip names under which another session acts, unless the
// caller has the name already. A shell only asks.
var (
	// Server is for a connection that is opened: its own name, the name that the hook of its session was told, or the
	// name of its session.
	Server = Ladder{
		{tiedByConnection, heldStates | unheldStates, true},
		{tiedByProcess, unheldStates, false},
		{tiedBySession, heldStates | unheldStates, false},
	}

	// Hook is for a session that begins, before its server or after: the name of the server from its process, or the
	// name that this server will be given.
	Hook = Ladder{
		{tiedByProcess, heldStates, true},
		{tiedByProcess, unheldStates, false},
		{tiedBySession, heldStates | unheldStates, false},
	}

	// Shell is for a shell: the name of the connection from the same process comes first, because a client may begin
	// another session while its connection stays.
	Shell = Ladder{
		{tiedByProcess, Open, true},
		{tiedByProcess, Presumed, true},
		{tiedBySession, heldStates, true},
		{tiedByServer, heldStates | unheldStates, true},
		{tiedBySession, unheldStates, true},
	}
)

// FindIndex returns the index of the name under which a caller acts, the first name if several match a rung, and -1 for
// none. It tries the rungs in order, so a stronger tie wins over an earlier name. It is pure: the same names and caller
// give the same answer in each process.
func (l Ladder) FindIndex(all []Name, c Caller) int {
	for _, r := range l {
		if i := slices.IndexFunc(all, func(n Name) bool { return r.matches(n, c) }); i >= 0 {
			return i
		}
	}
	return -1
}

// matches reports whether a name matches the rung for a caller: by its state, by the tie, and, unless the rung is
// shared, because no other session acts under it.
func (r rung) matches(n Name, c Caller) bool {
	return r.states&n.State() != 0 && (r.shared || !n.Shared) && r.tieTest(n, c)
}

// IsKeptForServer reports whether the name is kept for the server that the caller's process starts for its session.
// Then nothing needs to be written to keep it.
func (n Name) IsKeptForServer(c Caller) bool {
	return c.Process != "" && n.Left && n.Process == c.Process && n.Session == c.Session
}

package names

import (
	"slices"

	"handoff/schemas"
)

// Caller is who asks for the name of its session. What it does not know is empty, and ties no name to it.
type Caller struct {
	Session    string        // as its client calls it
	Conn       string        // that it opens, for a server
	Process    string        // of the client, or the process whose server is about to come
	ServerName schemas.Agent // the name of a server that the same process started, for a shell
}

// tie is what ties a caller to a name. It is pure, and never true for a caller that does not know what it compares.
type tie func(Name, Caller) bool

// byConnection ties the server whose connection was given the name: the strongest tie, since nobody else has that
// connection.
func byConnection(n Name, c Caller) bool { return c.Conn != "" && n.Conn == c.Conn }

// byProcess ties callers that belong to the process behind the name. The number of a process that was killed may be
// that of another by now.
func byProcess(n Name, c Caller) bool {
	return c.Process != "" && n.Process == c.Process && (n.Left || n.Held())
}

// bySession ties the session that has the name or keeps it, for a week after it left.
func bySession(n Name, c Caller) bool {
	return c.Session != "" && n.Session == c.Session && (!n.Left || n.Unseen < KeptFor)
}

// byServer ties a shell to the server that was started beside it.
func byServer(n Name, c Caller) bool { return c.ServerName != "" && n.Agent == c.ServerName }

// Ladder says under which of the names that it has a tie to a caller acts: that of the first rung on which one stands.
type Ladder []rung

// rung holds names in some states to which the caller has a tie. One under which another session acts counts only if
// the rung says so.
type rung struct {
	tie
	states State
	shared bool // also one under which another session acts
}

// The ladders. A server and a hook take the name, so it is none under which another session acts, unless the caller has
// it already. A shell only asks.
var (
	// Server is for a connection that is opened: the name that it has, the one that the hook of its session was told,
	// or the one of its session.
	Server = Ladder{
		{byConnection, held | gone, true},
		{byProcess, gone, false},
		{bySession, held | gone, false},
	}

	// Hook is for a session that begins, before its server or after: the name of the server from its process, or the one
	// that this server will be given.
	Hook = Ladder{
		{byProcess, held, true},
		{byProcess, gone, false},
		{bySession, held | gone, false},
	}

	// Shell is for a shell: the name of the connection from the same process comes first, because a client may begin
	// another session while its connection stays.
	Shell = Ladder{
		{byProcess, Open, true},
		{byProcess, Presumed, true},
		{bySession, held, true},
		{byServer, held | gone, true},
		{bySession, gone, true},
	}
)

// Find is the index of the name under which a caller acts, and of several on a rung that of the first; -1 for none.
// Rungs are tried in order, so a stronger tie wins over an earlier name. It is pure: the same names and caller give the
// same answer in each process.
func (l Ladder) Find(all []Name, c Caller) int {
	for _, r := range l {
		if i := slices.IndexFunc(all, func(n Name) bool { return r.matches(n, c) }); i >= 0 {
			return i
		}
	}
	return -1
}

// matches tells whether a name stands on the rung for a caller: its state, that nobody else acts under it where this
// matters, and the tie.
func (r rung) matches(n Name, c Caller) bool {
	return r.states&n.State() != 0 && (r.shared || !n.Shared) && r.tie(n, c)
}

// KeptForServer tells whether the name is kept for the server that the caller's process starts for its session. Then
// nothing needs to be written to keep it.
func (n Name) KeptForServer(c Caller) bool {
	return c.Process != "" && n.Left && n.Process == c.Process && n.Session == c.Session
}

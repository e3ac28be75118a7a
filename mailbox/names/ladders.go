package names

import (
	"slices"

	"handoff/schemas"
)

// Caller describes a session that asks for its name. An empty field is an unknown fact, which ties no name to the
// caller.
type Caller struct {
	Session    string        // the client's id of it
	Conn       string        // the connection that it opens, for a server
	Process    string        // of the client, or the process whose server is expected
	Parent     int           // the process that opens the connection
	ServerName schemas.Agent // the name of a server that the same process started, for a shell
}

// tieTest reports whether one fact ties a name to a caller. It returns false if the caller does not know the fact.
type tieTest func(Name, Caller) bool

// tiedByConnection reports whether the caller's connection got the name, for the session that the caller reports now.
// This is the strongest tie, because each connection has one server.
func tiedByConnection(n Name, c Caller) bool {
	return c.Conn != "" && n.Conn == c.Conn && (c.Session == "" || n.Session == c.Session)
}

// tiedByOpener reports whether the caller's connection got the name, or another connection that the same process
// opened. It returns false if the name belongs to another session, because a process may have several sessions: Codex
// starts servers for the threads of subagents.
func tiedByOpener(n Name, c Caller) bool {
	opened := c.Conn != "" && n.Conn == c.Conn || c.Parent != 0 && n.Parent == c.Parent
	return opened && (c.Session == "" || n.Session == "" || n.Session == c.Session)
}

// tiedByProcess reports whether the caller belongs to the process of the name. It ignores a process that ended without
// closing its connection, because the system may have given the number of that process to another process.
func tiedByProcess(n Name, c Caller) bool {
	return c.Process != "" && n.Process == c.Process && (n.Left || n.IsHeld())
}

// tiedBySession reports whether the caller's session has the name, or had it and left less than a week ago.
func tiedBySession(n Name, c Caller) bool {
	return c.Session != "" && n.Session == c.Session && (!n.Left || n.Unseen < KeptFor)
}

// tiedByServer reports whether the caller is a shell whose client started the server with this name.
func tiedByServer(n Name, c Caller) bool { return c.ServerName != "" && n.Agent == c.ServerName }

// Ladder is a list of rungs by which a caller's name is chosen. The first rung that matches a name decides.
type Ladder []rung

// rung matches names that are tied to the caller by its tieTest and that are in one of its states.
type rung struct {
	tieTest
	states State
	shared bool // also names under which another session acts
}

// These ladders are for the three callers that ask for a name. A server and a hook take the name for themselves. So
// their ladders skip a name under which another session acts, unless the caller has the name already. A shell only asks
// for the name of its session.
var (
	// Server is the ladder for a server that opens a connection. It prefers the name of the connection, then the name
	// that the hook of the session got, then the name of the session. The last rung finds the name of another
	// server of the same client session.
	Server = Ladder{
		{tiedByConnection, heldStates | unheldStates, true},
		{tiedByProcess, unheldStates, false},
		{tiedBySession, heldStates | unheldStates, false},
		{tiedByOpener, heldStates | unheldStates, false},
	}

	// Hook is the ladder for the hook of a session that begins. It prefers the name of a running server of the same
	// process, then the name that a server of this process will get.
	Hook = Ladder{
		{tiedByProcess, heldStates, true},
		{tiedByProcess, unheldStates, false},
		{tiedBySession, heldStates | unheldStates, false},
	}

	// Shell is the ladder for a shell. The name of the process comes before the name of the session, because a client
	// may begin another session while its connection stays open.
	Shell = Ladder{
		{tiedByProcess, Open, true},
		{tiedByProcess, Presumed, true},
		{tiedBySession, heldStates, true},
		{tiedBySession, unheldStates, true},
		{tiedByServer, heldStates | unheldStates, true},
	}
)

// FindIndex returns the index in all of the caller's name, or -1 if no rung matches a name. It tries the rungs in
// order, and takes the first name that matches a rung. Equal arguments give equal results in each process.
func (l Ladder) FindIndex(all []Name, c Caller) int {
	for _, r := range l {
		if i := slices.IndexFunc(all, func(n Name) bool { return r.matches(n, c) }); i >= 0 {
			return i
		}
	}
	return -1
}

// matches reports whether a name matches the rung: its state is listed, it is tied to the caller, and no other session
// acts under it. A shared rung is an exception: other sessions may act under the name.
func (r rung) matches(n Name, c Caller) bool {
	return r.states&n.State() != 0 && (r.shared || !n.Shared) && r.tieTest(n, c)
}

// IsReservedForServer reports whether the name is already reserved for the server that the caller's process will start
// for this session. If so, the caller need not store anything.
func (n Name) IsReservedForServer(c Caller) bool {
	return c.Process != "" && n.Left && n.Process == c.Process && n.Session == c.Session
}

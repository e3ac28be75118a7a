package connections

import (
	"cmp"
	"context"
	"slices"
	"time"

	"handoff/mailbox/names"
	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// NameOf returns the name of a client session, for a command in a shell of the client. A command calls it if its user
// gave no name, see [sessions.Presence.ShellName]. It writes nothing.
//
// The error is invalid for a client whose name cannot be the name of an agent. It is also invalid if several sessions
// are possible; then the error lists at most twenty names. NameOf does not guess, because a wrong name would let one
// session act with the mail of another.
func (c *Connections) NameOf(ctx context.Context, _ schemas.Caller, in schemas.SessionIn) (schemas.SessionOut, error) {
	return operation.ReadSnapshot(ctx, c.Engine, func(v *store.View) (out schemas.SessionOut, err error) {
		if out.Agent, err = c.Engine.Here.ShellName(v, in); err != nil && len(in.Ancestors) > 0 {
			in.Ancestors = nil // the only session of the client, started by another process or under an earlier id
			out.Agent, err = c.Engine.Here.ShellName(v, in)
		}
		return out, err
	})
}

// assignName stores that a session acts under a name over a connection. Without a connection, it reserves the name for
// the server that the session's process will start. If the row would stay the same and is less than a minute old, it
// writes nothing.
func (o op) assignName(a store.Agent, client schemas.Agent, c names.Caller) error {
	again := a.Conn == c.Conn && !a.Left
	c.Session = cmp.Or(c.Session, a.Session) // another connection of the session may know it
	if again && a.Session == c.Session && o.Now.Sub(a.Seen.Time()).Abs() < time.Minute {
		return nil
	}
	a.Idle = a.Idle || a.Session != c.Session
	a.Client, a.Session, a.Seen = client, c.Session, store.TimeOf(o.Now)
	a.Conn, a.Process, a.Parent, a.Left = c.Conn, c.Process, c.Parent, c.Conn == ""
	return o.PutAgent(a)
}

// recordDetach stores that the connection of a name is gone, and calls [ExpireNames] for the client. If another
// connection of the session is open, next, it only stores this one. It changes nothing if the connection no longer has
// the name.
func (o op) recordDetach(name schemas.Agent, next string, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	if a.Seen = store.TimeOf(o.Now); next != "" {
		a.Conn = next
		return o.PutAgent(*a)
	}
	return cmp.Or(o.freeName(*a, in), ExpireNames(o.Op, a.Client))
}

// freeName stores that the connection of a name is gone. If the session did nothing under the name, other sessions may
// get the name at once.
func (o op) freeName(a store.Agent, in schemas.ConnIn) error {
	unused, err := o.isNameUnused(a, in)
	if err != nil {
		return err
	}
	if unused {
		a.Session = ""
	}
	return o.markNameGone(a)
}

// isNameUnused reports whether a session did nothing under its name and the mailbox of the name is empty. An unused
// name is freed, because otherwise each client that only lists the tools would use up a numbered name.
func (o op) isNameUnused(a store.Agent, in schemas.ConnIn) (bool, error) {
	another := func(c presence.Connection) bool { return c.Name != in.Conn }
	if !in.Unused || !a.Idle || a.Card.Registered || o.Presence().ActsOverConnection(a.Card.Name, another) {
		return false, nil
	}
	m, err := o.Counters(schemas.Address(a.Card.Name))
	return m == store.Counters{}, err
}

// markNameGone stores that the connection of an agent is gone. It also clears the field Idle, which concerns only open
// connections.
func (o op) markNameGone(a store.Agent) error {
	a.Left, a.Process, a.Idle = true, "", false
	return o.PutAgent(a)
}

// ExpireNames finds the connections of a client that are stored as open and that no process has announced to this
// service. Their processes were killed, so ExpireNames stores that these connections are gone. It does nothing in the
// first five seconds of a service, because running processes announce their connections in this time.
func ExpireNames(o *operation.Op, client schemas.Agent) error {
	if !o.Presence().IsSettled() {
		return nil
	}
	for a, err := range sessions.AgentsOfClient(o.View, client) {
		if err == nil && !a.Left && !o.Presence().IsConnectionOpen(a.Conn) {
			err = op{o}.markNameGone(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NameForNews returns the name of a session that asks for news: the caller's name, or the name that ShellName finds.
// For the hook of a session whose server has not started yet, it reserves the name for that server. The error is
// invalid if the session cannot be identified.
func NameForNews(o *operation.Op, in schemas.NewsIn) (schemas.Agent, error) {
	if o.By.Agent != "" {
		return o.By.Agent, nil
	}
	client, err := sessions.ParseClient(in.Client)
	if err != nil {
		return "", err
	}
	if in.On == schemas.OnStart && in.Follows && in.Session != "" && in.Process != "" {
		return op{o}.reserveName(client, in)
	}
	asked := schemas.SessionIn{Client: client, Session: in.Session, Process: in.Process, Ancestors: in.Ancestors}
	name, err := o.Presence().ShellName(o.View, asked)
	if err != nil {
		return "", err
	}
	return name, op{o}.giveNameToServers(name, client, in)
}

// giveNameToServers gives the name of a session to servers of the same process that have another name because they do
// not know their session yet. Codex tells its server the session only in the first call. Until then, the session would
// be absent under the name that its hook tells, and another session could claim its mail.
func (o op) giveNameToServers(name, client schemas.Agent, in schemas.NewsIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Session == "" || a.Session != in.Session {
		return err
	}
	for b, err := range sessions.AgentsOfClient(o.View, client) {
		ofProcess := b.Parent != 0 && slices.Contains(in.Ancestors, b.Parent) && o.Presence().NameFacts(b).Open
		if err == nil && ofProcess && b.Session == "" {
			was := presence.Connection{Name: b.Conn, Own: b.Card.Name, Parent: b.Parent}
			o.Presence().RecordName(b.Conn, name)
			err = o.assignName(*a, client, names.Caller{Session: in.Session, Conn: b.Conn, Parent: b.Parent})
			if err == nil {
				err = o.leaveName(was.Own, was, schemas.ConnIn{Conn: b.Conn, Unused: true}, &schemas.ConnOut{})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reserveName returns the name of a session for its first hook. If a server of the session's process is connected, it
// returns the name of the server. Otherwise it chooses a name and reserves it for a minute for the server. Without the
// reservation, the hook and the server might use two names. A connection of an earlier process that is only presumed to
// be open keeps no name from its session.
func (o op) reserveName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.Presence().ChooseName(o.View, client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.Presence().NameFacts(a); n.Open || n.Process == c.Process && (n.IsHeld() || n.IsReservedForServer(c)) {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.assignName(a, client, c)
}

// ReleaseName frees a reserved name at the end of a session, if no server started and the session did nothing under the
// name. Otherwise the name would stay reserved for a minute.
func ReleaseName(o *operation.Op, in schemas.NewsIn) error {
	a, err := o.Agent(o.By.Agent)
	if err != nil || a == nil || !o.Presence().NameFacts(*a).IsReservedForServer(names.Caller{Session: in.Session, Process: in.Process}) {
		return err
	}
	return op{o}.freeName(*a, schemas.ConnIn{Unused: true})
}

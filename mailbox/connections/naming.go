package connections

import (
	"cmp"
	"context"
	"time"

	"handoff/mailbox/names"
	"handoff/mailbox/operation"
	"handoff/mailbox/presence"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// NameOf returns the agent name of a client session, for a command in a shell that the session's client started, see
// [sessions.Presence.ShellName]. If the command knows neither the session's id nor the client's process, the parent
// processes of the shell identify the session.
//
// A command calls NameOf if its user gave no agent name. NameOf writes nothing. The error is invalid for a client whose
// name cannot be the name of an agent. It is also invalid if the session cannot be identified and another session acts
// under the client's own name: then the user has to give the name, and the error lists at most twenty names in use.
// NameOf does not guess, because a wrong guess would let one session act with the mail of another.
func (c *Connections) NameOf(ctx context.Context, _ schemas.Caller, in schemas.SessionIn) (schemas.SessionOut, error) {
	return operation.ReadSnapshot(ctx, c.Engine, func(v *store.View) (out schemas.SessionOut, err error) {
		out.Agent, err = c.Engine.Here.ShellName(v, in)
		return out, err
	})
}

// assignName stores that a session acts under a name over a connection. If the caller has no connection, it stores that
// the session's process will soon start a server under that name. If the session's id equals the connection's id, the
// client has no session id of its own, and none is stored. assignName does not rewrite a row that has the same content
// and is less than a minute old.
func (o op) assignName(a store.Agent, client schemas.Agent, c names.Caller) error {
	again := a.Conn == c.Conn && !a.Left
	switch {
	case c.Session == c.Conn && a.Conn == c.Conn:
		c.Session = a.Session
	case c.Session == c.Conn:
		c.Session = ""
	}
	if again && a.Session == c.Session && o.Now.Sub(a.Seen.Time()).Abs() < time.Minute {
		return nil
	}
	a.Idle = a.Idle || a.Session != c.Session
	a.Client, a.Session, a.Seen = client, c.Session, store.TimeOf(o.Now)
	a.Conn, a.Process, a.Left = c.Conn, c.Process, c.Conn == ""
	return o.PutAgent(a)
}

// recordDetach stores that a named connection is gone. It changes nothing if the connection no longer has the name. It
// also calls [ExpireNames] for the other sessions of the client.
func (o op) recordDetach(name schemas.Agent, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	a.Seen = store.TimeOf(o.Now)
	return cmp.Or(o.freeName(*a, in), ExpireNames(o.Op, a.Client))
}

// freeName stores that the connection of a name is gone. If the session did anything under the name, the name stays
// tied to the session; otherwise the name is free for other sessions at once.
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

// isNameUnused reports whether a session did nothing under its name and no work or notice waits for the name, so that
// the name can be freed. If unused names were not freed, a client that only lists the tools of the server would use up
// a numbered name each time.
func (o op) isNameUnused(a store.Agent, in schemas.ConnIn) (bool, error) {
	another := func(c presence.Connection) bool { return c.Name != in.Conn }
	if !in.Unused || !a.Idle || a.Card.Registered || o.Presence().ActsOverConnection(a.Card.Name, another) {
		return false, nil
	}
	m, err := o.Counters(schemas.Address(a.Card.Name))
	return m == store.Counters{}, err
}

// markNameGone stores that the connection of an agent is gone. It also clears Idle, the mark of a session that has done
// nothing yet, because the mark only matters while the connection is open.
func (o op) markNameGone(a store.Agent) error {
	a.Left, a.Process, a.Idle = true, "", false
	return o.PutAgent(a)
}

// ExpireNames stores that connections of a client are gone if no process has announced them since this service began:
// their processes were killed. It does nothing in the first seconds of a service, because processes may still be
// announcing their connections then.
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

// NameForNews returns the agent name for a session that asks for its news: the caller's name, or else the name that
// ShellName finds. The hook of a session that begins may run before the session's server has started; NameForNews then
// reserves the name for that server. The error is invalid if nothing identifies the session of the client.
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
	return o.Presence().ShellName(o.View, asked)
}

// reserveName returns the name of a session for its first hook, which tells the session its name. If the session's
// process has a connection open, that connection has the name. But the hook may run before the server that the client
// starts. Then reserveName chooses the name that the server will get, and reserves it for a minute. Without the
// reservation, the hook and the server could use two names for one session, and the session would not find the mail for
// one of these names.
func (o op) reserveName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.Presence().ChooseName(o.View, client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.Presence().NameFacts(a); n.IsKeptForServer(c) || n.IsHeld() {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.assignName(a, client, c)
}

// ReleaseName frees a name that was reserved for a server if the server never started and the session did nothing under
// the name. Without this call, the name of a session that ends before its server begins would stay reserved for a
// minute.
func ReleaseName(o *operation.Op, in schemas.NewsIn) error {
	a, err := o.Agent(o.By.Agent)
	if err != nil || a == nil || !o.Presence().NameFacts(*a).IsKeptForServer(names.Caller{Session: in.Session, Process: in.Process}) {
		return err
	}
	return op{o}.freeName(*a, schemas.ConnIn{Unused: true})
}

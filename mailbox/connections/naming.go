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

// NameOf returns the name of a session for a shell that the session's client started, see [sessions.Here.ShellName]. If
// a client gives neither session nor process, the parent processes of the shell identify the session.
//
// Commands without a given agent name call it. It writes nothing, so each command may call it. The error is invalid for
// a client whose name cannot be the name of an agent, and if another session acts under the client's own name. Then the
// shell has to give its name, and the error lists the present names, at most twenty. A wrong guess would let one
// session act with the mail of another.
func (c *Connections) NameOf(ctx context.Context, _ schemas.Caller, in schemas.SessionIn) (schemas.SessionOut, error) {
	return operation.ReadSnapshot(ctx, c.Engine, func(v *store.View) (out schemas.SessionOut, err error) {
		out.Agent, err = c.Engine.Here.ShellName(v, in)
		return out, err
	})
}

// assignName stores that a session acts under a name over a connection. Without a connection, it stores that the
// session's process will soon start a server under that name. A session id that only repeats the connection's id never
// comes back, so it is not stored. assignName does not rewrite a row that says the same and is less than a minute old.
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
	a.Client, a.Session, a.Seen = client, c.Session, store.At(o.Now)
	a.Conn, a.Process, a.Left = c.Conn, c.Process, c.Conn == ""
	return o.PutAgent(a)
}

// recordDetach stores that a named connection is gone. It changes nothing if the connection no longer has the name. It
// also expires names of other sessions of the client that are gone.
func (o op) recordDetach(name schemas.Agent, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	a.Seen = store.At(o.Now)
	return cmp.Or(o.freeName(*a, in), ExpireNames(o.Op, a.Client))
}

// freeName stores that the connection of a name is gone. The session keeps the name, unless it did nothing under it;
// then the name is free at once.
func (o op) freeName(a store.Agent, in schemas.ConnIn) error {
	unused, err := o.isUnused(a, in)
	if err != nil {
		return err
	}
	if unused {
		a.Session = ""
	}
	return o.markGone(a)
}

// isUnused reports whether a session did nothing under its name and nothing waits for it, so that the name can be
// freed. Otherwise a client that only lists the tools of a server would use up a number each time.
func (o op) isUnused(a store.Agent, in schemas.ConnIn) (bool, error) {
	another := func(c presence.Connection) bool { return c.Name != in.Conn }
	if !in.Unused || !a.Idle || a.Card.Registered || o.Here().ActingOver(a.Card.Name, another) {
		return false, nil
	}
	m, err := o.Mailbox(schemas.Address(a.Card.Name))
	return m == store.Mailbox{}, err
}

// markGone stores that the connection of an agent is gone. It also clears Idle, because the question whether the
// session did anything is settled.
func (o op) markGone(a store.Agent) error {
	a.Left, a.Process, a.Idle = true, "", false
	return o.PutAgent(a)
}

// ExpireNames marks connections as gone that no process has announced since this service began, because their processes
// were killed. It does nothing in the first seconds of a service, in which processes may still announce them.
func ExpireNames(o *operation.Op, client schemas.Agent) error {
	if !o.Here().Settled() {
		return nil
	}
	for a, err := range sessions.NamesOfClient(o.View, client) {
		if err == nil && !a.Left && !o.Here().IsOpen(a.Conn) {
			err = op{o}.markGone(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NameForNews returns the name under which a session asks for its news: the caller's name, else the name that ShellName
// finds. For the hook of a session that begins, it reserves the name for the server that follows. The error is invalid
// if nothing identifies the session of the client.
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
	return o.Here().ShellName(o.View, asked)
}

// reserveName returns the name of the connection that the process of a session has open. The hooks of a session may run
// before the server that its client starts, and they tell the session its name. If there is no connection yet,
// reserveName chooses the name that the server will get, and reserves it for a minute. Otherwise a hook and a server
// that begin at the same time would use two names for one session, and mail for one of them would not be found.
func (o op) reserveName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.Here().ChooseName(o.View, client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.Here().Name(a); n.KeptForServer(c) || n.Held() {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.assignName(a, client, c)
}

// ReleaseName frees a name that was reserved for a server which never came, if the session did nothing under it.
// Otherwise a session that ends before its server begins would keep the name for a minute.
func ReleaseName(o *operation.Op, in schemas.NewsIn) error {
	a, err := o.Agent(o.By.Agent)
	if err != nil || a == nil || !o.Here().Name(*a).KeptForServer(names.Caller{Session: in.Session, Process: in.Process}) {
		return err
	}
	return op{o}.freeName(*a, schemas.ConnIn{Unused: true})
}

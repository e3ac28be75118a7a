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

// A session whose client chose no name is given one. Package sessions says which; here stands what is kept of it.

// NameOf gives the name under which a session acts, for a shell that the client of the session started, see
// [sessions.Here.ShellName]. Where a client says neither session nor process, the processes above the shell tell its
// sessions apart.
//
// The commands call it when nobody said a name. Nothing is written, so it can be asked for each command. The error is
// invalid for a client whose name cannot be that of an agent, and where somebody else acts under the client's own name:
// then the shell has to say its name, and the error lists those that are here, twenty at most. A wrong guess would let
// one session act with the mail of another.
func (c *Connections) NameOf(ctx context.Context, _ schemas.Caller, in schemas.SessionIn) (schemas.SessionOut, error) {
	return operation.ReadSnapshot(ctx, c.Engine, func(v *store.View) (out schemas.SessionOut, err error) {
		out.Agent, err = c.Engine.Here.ShellName(v, in)
		return out, err
	})
}

// give keeps that a session acts under a name over a connection or, without a connection, that its process is about to
// start the server that will. An id that is only that of the connection does not come back, so nothing is kept for it.
// What is so already, and was said within a minute, is not written again.
func (o op) give(a store.Agent, client schemas.Agent, c names.Caller) error {
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

// leave keeps that the connection is gone to which a name was given, if it was. A connection that has the name no more
// changes nothing. Names of other sessions that are gone may expire with it.
func (o op) leave(name schemas.Agent, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	a.Seen = store.At(o.Now)
	return cmp.Or(o.free(*a, in), ExpireNames(o.Op, a.Client))
}

// free keeps that the connection of a name is gone. The name is kept for its session, unless that did nothing: then it
// is free at once.
func (o op) free(a store.Agent, in schemas.ConnIn) error {
	unused, err := o.unused(a, in)
	if err != nil {
		return err
	}
	if unused {
		a.Session = ""
	}
	return o.putGone(a)
}

// unused tells whether a session did nothing under its name and nothing waits there, so that the name need not be
// kept for it: a client that only looks what a server offers would use up a number each time.
func (o op) unused(a store.Agent, in schemas.ConnIn) (bool, error) {
	another := func(c presence.Connection) bool { return c.Name != in.Conn }
	if !in.Unused || !a.Idle || a.Card.Registered || o.Here().ActingOver(a.Card.Name, another) {
		return false, nil
	}
	m, err := o.Mailbox(schemas.Address(a.Card.Name))
	return m == store.Mailbox{}, err
}

// putGone keeps that the connection of an agent is gone. Whether its session did anything is not asked again.
func (o op) putGone(a store.Agent) error {
	a.Left, a.Process, a.Idle = true, "", false
	return o.PutAgent(a)
}

// ExpireNames keeps that connections are gone of which nobody has heard since this service began: their processes were
// killed. It does nothing in the first seconds of a service, in which their processes may still announce them.
func ExpireNames(o *operation.Op, client schemas.Agent) error {
	if !o.Here().Settled() {
		return nil
	}
	for a, err := range sessions.NamesOfClient(o.View, client) {
		if err == nil && !a.Left && !o.Here().IsOpen(a.Conn) {
			err = op{o}.putGone(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NameForNews is under which name a session asks for its news: the one that the caller acts as, else the one that the ladder
// for shells gives. The hook of a session that begins has its name kept for the server that follows. The error is
// invalid where nothing tells sessions of the client apart.
func NameForNews(o *operation.Op, in schemas.NewsIn) (schemas.Agent, error) {
	if o.By.Agent != "" {
		return o.By.Agent, nil
	}
	client, err := sessions.ParseClient(in.Client)
	if err != nil {
		return "", err
	}
	if in.On == schemas.OnStart && in.Follows && in.Session != "" && in.Process != "" {
		return op{o}.keepName(client, in)
	}
	asked := schemas.SessionIn{Client: client, Session: in.Session, Process: in.Process, Ancestors: in.Ancestors}
	return o.Here().ShellName(o.View, asked)
}

// keepName gives the name of the connection from the process of a session. The hooks of a session may run before the
// server that its client starts for it, and tell it its name: while there is no connection, this is the one that the
// server will be given, and it is kept for that from now on, for a minute. Without that a hook and a server that begin
// at the same time would use two names for one session, and mail for one of them would not be found.
func (o op) keepName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.Here().ChooseName(o.View, client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.Here().Name(a); n.KeptForServer(c) || n.Held() {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.give(a, client, c)
}

// ReleaseName forgets that a name is kept for a server which never came, if nothing was done under it. A session that
// ends before its server began would keep the name for a minute otherwise.
func ReleaseName(o *operation.Op, in schemas.NewsIn) error {
	a, err := o.Agent(o.By.Agent)
	if err != nil || a == nil || !o.Here().Name(*a).KeptForServer(names.Caller{Session: in.Session, Process: in.Process}) {
		return err
	}
	return op{o}.free(*a, schemas.ConnIn{Unused: true})
}

package mailbox

import (
	"iter"
	"time"

	"handoff/mailbox/names"
	"handoff/mailbox/presence"
	"handoff/schemas"
	"handoff/store"
)

// A session whose client chose no name is given one. Package names says which; here stands what is kept of it.

// parseClient reads the name of a client, which becomes the name of its sessions. The error is invalid for a reserved
// name and for one that no agent can have.
func parseClient(client schemas.Agent) (schemas.Agent, error) {
	if client == schemas.Human || client == schemas.System {
		return "", schemas.Invalidf("client", "%s is a reserved name", client)
	}
	return schemas.ParseAgent("client", string(client))
}

// namesOf yields the names that sessions of a client were given, by name. Whoever chose its own name is not among them,
// though it may begin the same.
func namesOf(v *store.View, client schemas.Agent) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		for a, err := range v.AgentsCalled(names.Beginning(client)) {
			if (err != nil || a.Client == client) && !yield(a, err) {
				return
			}
		}
	}
}

// named is what is known of a name now, whoever asks: the row that is kept of it, and what the tracker knows of its
// connection. Package names judges it.
func (s *Service) named(a store.Agent, now time.Time) names.Name {
	return names.Name{
		Agent: a.Card.Name, Client: a.Client,
		Session: a.Session, Conn: a.Conn, Process: a.Process, Left: a.Left, Unseen: now.Sub(a.Seen.Time()),
		Open: s.isOpen(a.Conn), Settled: s.settled(now),
	}
}

// namedTo is what a session is to know of a name: what anybody knows, and whether another session acts under it.
func (s *Service) namedTo(session string, a store.Agent, now time.Time) names.Name {
	n := s.named(a, now)
	n.Shared = s.actingOver(a.Card.Name, func(c presence.Connection) bool { return c.Session != session })
	return n
}

// allNamed is what a session is to know now of the names of a client's sessions.
func (s *Service) allNamed(
	v *store.View, client schemas.Agent, session string, now time.Time,
) (known []names.Name, err error) {
	for a, err := range namesOf(v, client) {
		if err != nil {
			return nil, err
		}
		known = append(known, s.namedTo(session, a, now))
	}
	return known, nil
}

// settled tells whether a connection that is not known to be open is gone: nobody will announce it, because those who
// knew it ended, or because the service has run for five seconds.
func (s *Service) settled(now time.Time) bool { return s.Alone || now.Sub(s.started) >= names.Settling }

// nameFor chooses the name of a session of a client: the one that the ladder of the caller gives, else the vacant one
// with the lowest number. It writes nothing; [op.give] keeps the choice in the same transaction, so two sessions that
// begin at once get two names.
func (o *op) nameFor(client schemas.Agent, ladder names.Ladder, c names.Caller) (store.Agent, error) {
	known, err := o.allNamed(o.View, client, c.Session, o.now)
	if err != nil {
		return store.Agent{}, err
	}
	if i := ladder.Find(known, c); i >= 0 {
		return agentNamed(o.View, known[i].Agent)
	}
	for n := 1; ; n++ {
		a, err := agentNamed(o.View, names.Nth(client, n))
		if err != nil || o.namedTo(c.Session, a, o.now).Vacant(client) {
			return a, err
		}
	}
}

// give keeps that a session acts under a name over a connection or, without a connection, that its process is about to
// start the server that will. An id that is only that of the connection does not come back, so nothing is kept for it.
// What is so already, and was said within a minute, is not written again.
func (o *op) give(a store.Agent, client schemas.Agent, c names.Caller) error {
	again := a.Conn == c.Conn && !a.Left
	switch {
	case c.Session == c.Conn && a.Conn == c.Conn:
		c.Session = a.Session
	case c.Session == c.Conn:
		c.Session = ""
	}
	if again && a.Session == c.Session && o.now.Sub(a.Seen.Time()) < time.Minute {
		return nil
	}
	a.Idle = a.Idle || a.Session != c.Session
	a.Client, a.Session, a.Seen = client, c.Session, store.At(o.now)
	a.Conn, a.Process, a.Left = c.Conn, c.Process, c.Conn == ""
	return o.tx.PutAgent(a)
}

// leave keeps that the connection is gone to which a name was given, if it was. A connection that has the name no more
// changes nothing. Names of other sessions that are gone may expire with it.
func (o *op) leave(name schemas.Agent, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	a.Seen = store.At(o.now)
	if err := o.free(*a, in); err != nil {
		return err
	}
	return o.expireNames(a.Client)
}

// free keeps that the connection of a name is gone. The name is kept for its session, unless that did nothing: then it
// is free at once.
func (o *op) free(a store.Agent, in schemas.ConnIn) error {
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
func (o *op) unused(a store.Agent, in schemas.ConnIn) (bool, error) {
	another := func(c presence.Connection) bool { return c.Name != in.Conn }
	if !in.Unused || !a.Idle || a.Card.Registered || o.actingOver(a.Card.Name, another) {
		return false, nil
	}
	m, err := o.Mailbox(schemas.Address(a.Card.Name))
	return m == store.Mailbox{}, err
}

// putGone keeps that the connection of an agent is gone. Whether its session did anything is not asked again.
func (o *op) putGone(a store.Agent) error {
	a.Left, a.Process, a.Idle = true, "", false
	return o.tx.PutAgent(a)
}

// expireNames keeps that connections are gone of which nobody has heard since this service began: their processes were
// killed. It does nothing in the first seconds of a service, in which their processes may still announce them.
func (o *op) expireNames(client schemas.Agent) error {
	if !o.settled(o.now) {
		return nil
	}
	for a, err := range namesOf(o.View, client) {
		if err != nil {
			return err
		}
		if a.Left || o.isOpen(a.Conn) {
			continue
		}
		if err := o.putGone(a); err != nil {
			return err
		}
	}
	return nil
}

// nameOf is under which name a session asks for its news: the one that the caller acts as, else the one that the ladder
// for shells gives. The hook of a session that begins has its name kept for the server that follows. The error is
// invalid where nothing tells sessions of the client apart.
func (o *op) nameOf(in schemas.NewsIn) (schemas.Agent, error) {
	if o.by.Agent != "" {
		return o.by.Agent, nil
	}
	client, err := parseClient(in.Client)
	if err != nil {
		return "", err
	}
	if in.On == schemas.OnStart && in.Follows && in.Session != "" && in.Process != "" {
		return o.keepName(client, in)
	}
	asked := schemas.SessionIn{Client: client, Session: in.Session, Process: in.Process, Above: in.Above}
	return o.sessionName(o.View, client, asked, o.now)
}

// keepName gives the name of the connection from the process of a session. The hooks of a session may run before the
// server that its client starts for it, and tell it its name: while there is no connection, this is the one that the
// server will be given, and it is kept for that from now on, for a minute. Without that a hook and a server that begin
// at the same time would use two names for one session, and mail for one of them would not be found.
func (o *op) keepName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.nameFor(client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.named(a, o.now); n.KeptForServer(c) || n.Held() {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.give(a, client, c)
}

// releaseName forgets that a name is kept for a server which never came, if nothing was done under it. A session that
// ends before its server began would keep the name for a minute otherwise.
func (d *delivery) releaseName() error {
	a, err := d.Agent(d.by.Agent)
	if err != nil || a == nil {
		return err
	}
	c := names.Caller{Session: d.in.Session, Process: d.in.Process}
	if !d.named(*a, d.now).KeptForServer(c) {
		return nil
	}
	return d.free(*a, schemas.ConnIn{Unused: true})
}

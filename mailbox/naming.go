package mailbox

import (
	"iter"
	"strconv"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// A session whose client chose no name gets that of its client, numbered while others have it: claude-code,
// claude-code-2, claude-code-3. What is kept of the name says who had it last.

const (
	// keptFor is how long a session that left keeps its name.
	keptFor = 7 * 24 * time.Hour

	// settling is how long a service that has begun takes connections for open of which it knows only that
	// nobody closed them. Their processes announce them anew within milliseconds, unless they were killed.
	settling = 5 * time.Second

	longestName = 64
)

func parseClient(client schemas.Agent) (schemas.Agent, error) {
	if client == schemas.Human || client == schemas.System {
		return "", schemas.Invalidf("client", "%s is a reserved name", client)
	}
	return schemas.ParseAgent("client", string(client))
}

// nth is the name of a client's n-th session.
func nth(client schemas.Agent, n int) schemas.Agent {
	if n == 1 {
		return client
	}
	number := "-" + strconv.Itoa(n)
	return client[:min(len(client), longestName-len(number))] + schemas.Agent(number)
}

// beginning is how all names of a client begin.
func beginning(client schemas.Agent) string {
	return string(client[:min(len(client), longestName-len("-99999"))])
}

// namesOf yields the names that sessions of a client were given.
func namesOf(v *store.View, client schemas.Agent) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		for a, err := range v.AgentsCalled(beginning(client)) {
			if (err != nil || a.Client == client) && !yield(a, err) {
				return
			}
		}
	}
}

// nameFor chooses the name of a connection: the one it has, the one that is kept for its process, the one that its
// session had, the client's own, or the one with the lowest number that nobody uses or keeps.
func (o *op) nameFor(client schemas.Agent, in schemas.ConnIn) (store.Agent, error) {
	for _, fits := range []func(store.Agent) bool{
		func(a store.Agent) bool { return in.Conn != "" && a.Conn == in.Conn },
		func(a store.Agent) bool { return keptForProcess(a, in.Process) && !o.taken(a) },
		func(a store.Agent) bool { return hadBy(a, o.by.AgentID, o.now) && !o.taken(a) },
	} {
		for a, err := range namesOf(o.View, client) {
			if err != nil || fits(a) {
				return a, err
			}
		}
	}
	for n := 1; ; n++ {
		a, err := agentNamed(o.View, nth(client, n))
		if err != nil || !o.taken(a) && !o.expects(a, in.Process) && (n == 1 || o.spare(a, client)) {
			return a, err
		}
	}
}

// hadBy tells whether a session has a name or keeps it.
func hadBy(a store.Agent, session string, now time.Time) bool {
	return session != "" && a.Session == session && (!a.Left || now.Sub(a.Seen.Time()) < keptFor)
}

// taken tells whether another session acts under a name.
func (o *op) taken(a store.Agent) bool {
	return o.actingBeside(o.by.AgentID, a.Card.Name) || !hadBy(a, o.by.AgentID, o.now) && o.opened(a, o.now)
}

// spare tells whether a name that nobody acts under may be given: it belongs to no other client, and no
// session keeps it.
func (o *op) spare(a store.Agent, client schemas.Agent) bool {
	return (a.Client == "" || a.Client == client) && (a.Session == "" || o.now.Sub(a.Seen.Time()) >= keptFor)
}

// opened tells whether the connection is there that a name was given to, as far as anybody knows.
func (s *Service) opened(a store.Agent, now time.Time) bool {
	return s.isOpen(a.Conn) || a.Conn != "" && !a.Left && !s.settled(now)
}

func (s *Service) settled(now time.Time) bool { return s.Alone || now.Sub(s.started) >= settling }

// give keeps that a connection acts under a name. An id that is only that of the connection does not come
// back, so nothing is kept for it.
func (o *op) give(a store.Agent, client schemas.Agent, in schemas.ConnIn) error {
	again, session := a.Conn == in.Conn && !a.Left, o.by.AgentID
	switch {
	case session == in.Conn && a.Conn == in.Conn:
		session = a.Session
	case session == in.Conn:
		session = ""
	}
	if again && a.Session == session && o.now.Sub(a.Seen.Time()) < time.Minute {
		return nil
	}
	a.Idle = a.Idle || a.Session != session
	a.Client, a.Session, a.Conn, a.Process, a.Left, a.Seen = client, session, in.Conn, in.Process, false, store.At(o.now)
	return o.tx.PutAgent(a)
}

// leave keeps that the connection is gone to which a name was given, if it was.
func (o *op) leave(name schemas.Agent, in schemas.ConnIn) error {
	a, err := o.Agent(name)
	if err != nil || a == nil || a.Conn != in.Conn || a.Left {
		return err
	}
	forget, err := o.inVain(a, in)
	if err != nil {
		return err
	}
	if forget {
		a.Session = ""
	}
	a.Seen = store.At(o.now)
	if err := o.putGone(*a); err != nil {
		return err
	}
	return o.bury(a.Client)
}

// inVain tells whether a session did nothing under its name and nothing waits there, so that the name need
// not be kept for it: a client that only looks what a server offers would use up a number each time.
func (o *op) inVain(a *store.Agent, in schemas.ConnIn) (bool, error) {
	if !in.Unused || !a.Idle || a.Card.Registered || o.actingOver(in.Conn, a.Card.Name) {
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

// bury keeps that connections are gone of which nobody has heard since this service began: their processes
// were killed.
func (o *op) bury(client schemas.Agent) error {
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

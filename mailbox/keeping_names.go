package mailbox

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

// expecting is how long a server may take to start after the hooks of its session.
const expecting = time.Minute

// nameOf is under which name a session asks for its news.
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
// server will be given, and it is kept for that from now on.
func (o *op) keepName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	for a, err := range namesOf(o.View, client) {
		if err != nil {
			return "", err
		}
		if a.Process == in.Process && o.opened(a, o.now) {
			return a.Card.Name, nil
		}
	}
	o.by.AgentID = in.Session
	a, err := o.nameFor(client, schemas.ConnIn{Process: in.Process})
	if err != nil {
		return "", err
	}
	kept := a.Session == in.Session && keptForProcess(a, in.Process)
	if kept || o.opened(a, o.now) {
		return a.Card.Name, nil
	}
	a.Idle = a.Idle || a.Session != in.Session
	a.Client, a.Session, a.Conn, a.Process, a.Left, a.Seen = client, in.Session, "", in.Process, true, store.At(o.now)
	return a.Card.Name, o.tx.PutAgent(a)
}

// letGo forgets that a name is kept for a server which never came, if nothing was done under it.
func (t *telling) letGo() error {
	a, err := t.Agent(t.by.Agent)
	if err != nil || a == nil {
		return err
	}
	if a.Session != t.in.Session || !keptForProcess(*a, t.in.Process) {
		return nil
	}
	forget, err := t.inVain(a, schemas.ConnIn{Unused: true})
	if err != nil {
		return err
	}
	if forget {
		a.Session = ""
	}
	return t.putGone(*a)
}

// keptForProcess tells whether a name is kept for the server that a process starts: its connection is gone, and its
// process is known nevertheless.
func keptForProcess(a store.Agent, process string) bool {
	return process != "" && a.Left && a.Process == process
}

// expects tells whether a name is kept for another process, whose server may be about to come.
func (o *op) expects(a store.Agent, process string) bool {
	kept := a.Left && a.Process != ""
	return kept && a.Process != process && o.now.Sub(a.Seen.Time()) < expecting
}

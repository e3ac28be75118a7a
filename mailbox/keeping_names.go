package mailbox

import (
	"time"

	"handoff/schemas"
	"handoff/store"
)

// The hooks of a session may run before the server that its client starts for it, and tell it its name. So the name
// is kept for that server from then on, which shows in that the connection of the name is gone and its process is
// known nevertheless.

// keptForProcess tells whether a name is kept for the server that a process starts.
func keptForProcess(a store.Agent, process string) bool {
	return process != "" && a.Left && a.Process == process
}

// expecting is how long a server may take to start after the hooks of its session.
const expecting = time.Minute

// expects tells whether a name is kept for another process, whose server may be about to come.
func (o *op) expects(a store.Agent, process string) bool {
	return a.Left && a.Process != "" && a.Process != process && o.now.Sub(a.Seen.Time()) < expecting
}

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

// keepName gives the name of the connection from the process of a session; while there is none, the one that it will
// be given.
func (o *op) keepName(client schemas.Agent, in schemas.NewsIn) (schemas.Agent, error) {
	for a, err := range namesOf(o.View, client) {
		if err != nil || a.Process == in.Process && o.opened(a, o.now) {
			return a.Card.Name, err
		}
	}
	o.by.AgentID = in.Session
	a, err := o.nameFor(client, schemas.ConnIn{Process: in.Process})
	if err != nil || a.Session == in.Session && keptForProcess(a, in.Process) || o.opened(a, o.now) {
		return a.Card.Name, err
	}
	a.Idle = a.Idle || a.Session != in.Session
	a.Client, a.Session, a.Conn, a.Process, a.Left, a.Seen = client, in.Session, "", in.Process, true, store.At(o.now)
	return a.Card.Name, o.tx.PutAgent(a)
}

// letGo forgets that a name is kept for a server which never came, if nothing was done under it.
func (n *news) letGo(in schemas.NewsIn) error {
	a, err := n.Agent(n.by.Agent)
	if err != nil || a == nil || a.Session != in.Session || !keptForProcess(*a, in.Process) {
		return err
	}
	forget, err := n.inVain(a, schemas.ConnIn{Unused: true})
	if err != nil {
		return err
	}
	if forget {
		a.Session = ""
	}
	return n.putGone(*a)
}

package mailbox

import (
	"handoff/mailbox/names"
	"handoff/schemas"
)

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
	c := names.Caller{Session: in.Session, Process: in.Process}
	a, err := o.nameFor(client, names.Hook, c)
	if err != nil {
		return "", err
	}
	if n := o.named(a, o.now); n.KeptForServer(c) || n.Held() {
		return a.Card.Name, nil
	}
	return a.Card.Name, o.keepForServer(a, client, c)
}

// releaseName forgets that a name is kept for a server which never came, if nothing was done under it.
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

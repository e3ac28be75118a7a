// Package sessions knows which session acts under which name, and whether anybody does. It puts together what the store
// keeps of names with what a [presence.Tracker] knows of connections; package names judges what comes of it. It writes
// nothing: package mailbox keeps the choices.
//
// A service that has just begun counts a connection that nobody closed as open for five seconds: processes announce
// their connections within milliseconds, and only a killed process does not. Mail for a session that ended may be
// claimed by the other sessions of its client while nobody acts under that name, because nobody else has it. Pools,
// reservations and notices are not shared so. A shell acts as the session that started it: the environment names the
// session, and the mailbox knows the name. A name that is given, by --agent or HANDOFF_AGENT, wins.
package sessions

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/names"
	"handoff/mailbox/presence"
	"handoff/schemas"
	"handoff/store"
)

// Here is who is here, as the process knows that owns the store. A service that has just begun knows of connections
// only what was announced to it, see [Here.Settled]. Its methods may be called concurrently.
type Here struct {
	*presence.Tracker
	Now     func() time.Time
	Started time.Time // when the service began
	Alone   bool      // nobody will announce a connection that an earlier service knew
}

// IsOpen tells whether a connection is open, as far as this process was told. The empty name is never open.
func (h Here) IsOpen(conn string) bool {
	_, open := h.Connection(conn)
	return open
}

// ActingOver tells whether an agent acts over an open connection that is wanted. It is how two sessions under one name
// are told apart.
func (h Here) ActingOver(a schemas.Agent, wanted func(presence.Connection) bool) bool {
	return slices.ContainsFunc(h.Connections(presence.Filter{Agent: a}), wanted)
}

// ActingAgents is who acts over any open connection, by name, each once. Agents over HTTP and on the command line have no
// connection and are not among them.
func (h Here) ActingAgents() []schemas.Agent {
	here := map[schemas.Agent]bool{}
	for _, c := range h.Connections(presence.Filter{}) {
		for _, a := range c.Agents {
			here[a] = true
		}
	}
	return slices.Sorted(maps.Keys(here))
}

// Settled tells whether a connection that is not known to be open is gone: nobody will announce it, because those who
// knew it ended, or because the service has run for five seconds.
func (h Here) Settled() bool { return h.Alone || h.Now().Sub(h.Started) >= names.Settling }

// IsInUse tells whether somebody acts under a name, as far as anybody knows. The connection of an agent that chose its
// name is written nowhere, so a service that has just begun gives it the time to be announced. Until then its mail is
// not given to others: mail that waits a few seconds longer is no harm, mail that two agents work on is.
func (h Here) IsInUse(a store.Agent) bool {
	return h.IsActing(a.Card.Name) || h.Name(a).Held() || a.Client == "" && !h.Settled()
}

// Name is what is known of a name now, whoever asks: the row that is kept of it, and what the tracker knows of its
// connection.
func (h Here) Name(a store.Agent) names.Name {
	return names.Name{
		Agent: a.Card.Name, Client: a.Client,
		Session: a.Session, Conn: a.Conn, Process: a.Process, Left: a.Left, Unseen: h.Now().Sub(a.Seen.Time()).Abs(),
		Open: h.IsOpen(a.Conn), Settled: h.Settled(),
	}
}

// nameSeenBy is what a session is to know of a name: what anybody knows, and whether another session acts under it.
func (h Here) nameSeenBy(session string, a store.Agent) names.Name {
	n := h.Name(a)
	n.Shared = h.ActingOver(a.Card.Name, func(c presence.Connection) bool { return c.Session != session })
	return n
}

// namesSeenBy is what a session is to know now of the names of a client's sessions.
func (h Here) namesSeenBy(v *store.View, client schemas.Agent, session string) (known []names.Name, err error) {
	for a, err := range NamesOfClient(v, client) {
		if err != nil {
			return nil, err
		}
		known = append(known, h.nameSeenBy(session, a))
	}
	return known, nil
}

// ChooseName chooses the name of a session of a client: the one that the ladder of the caller gives, else the vacant one
// with the lowest number. Whoever keeps the choice in the same transaction gives two sessions that begin at once two
// names. It reads the names of the client's sessions, and then tries numbers from 1.
func (h Here) ChooseName(
	v *store.View, client schemas.Agent, ladder names.Ladder, c names.Caller,
) (store.Agent, error) {
	known, err := h.namesSeenBy(v, client, c.Session)
	if err != nil {
		return store.Agent{}, err
	}
	if i := ladder.Find(known, c); i >= 0 {
		return AgentOrNew(v, known[i].Agent)
	}
	for n := 1; ; n++ {
		a, err := AgentOrNew(v, names.Nth(client, n))
		if err != nil || h.nameSeenBy(c.Session, a).Vacant(client) {
			return a, err
		}
	}
}

// AgentOrNew is what is kept of an agent, or a new one that nobody has seen. Of a new one holds what a file declares of the
// role with which its name begins. Nothing is written. A new name costs one more read for each hyphen in it, until a
// role is found.
func AgentOrNew(v *store.View, name schemas.Agent) (found store.Agent, err error) {
	a, err := v.Agent(name)
	if a != nil && err == nil {
		return *a, nil
	}
	found.Card.Name = name
	RolePrefix(name, func(role schemas.Agent) bool {
		if err != nil {
			return true
		}
		a, err = v.Agent(role)
		if a == nil || err != nil || a.Declared == nil || a.Declared.Role != string(role) {
			return false
		}
		found.Card, found.Declared = a.Card, a.Declared
		found.Card.Name, found.Card.Away = name, false
		return true
	})
	return found, err
}

// RolePrefix is the longest role with which a name of several words begins, as testing-specialist-RedStone does with
// testing-specialist; "" for none. Is tells what is one. It is asked for the longest first, and never for the whole
// name.
func RolePrefix(name schemas.Agent, is func(schemas.Agent) bool) schemas.Agent {
	for at := strings.LastIndexByte(string(name), '-'); at > 0; at = strings.LastIndexByte(string(name[:at]), '-') {
		if is(name[:at]) {
			return name[:at]
		}
	}
	return ""
}

// NamesOfClient yields the names that sessions of a client were given, by name. Whoever chose its own name is not among them,
// though it may begin the same. It reads the rows of all agents whose names begin as those of the client do.
func NamesOfClient(v *store.View, client schemas.Agent) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		for a, err := range v.AgentsWithPrefix(names.Prefix(client)) {
			if (err != nil || a.Client == client) && !yield(a, err) {
				return
			}
		}
	}
}

// ParseClient reads the name of a client, which becomes the name of its sessions. The error is invalid for a reserved
// name and for one that no agent can have. Human and the rules are no clients, since sessions of these would act as
// them.
func ParseClient(client schemas.Agent) (schemas.Agent, error) {
	if client == schemas.Human || client == schemas.System {
		return "", schemas.Invalidf("client", "%s is a reserved name", client)
	}
	return schemas.ParseAgent("client", string(client))
}

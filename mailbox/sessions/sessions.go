// Package sessions finds the name under which a session acts, and reports whether a session uses a name now. It joins
// the stored rows of names with the connections of a [presence.Tracker]; package names judges the result. It writes
// nothing: package mailbox stores the choices.
//
// A new service counts a connection that was not closed as open for five seconds: processes announce their connections
// within milliseconds, and only a killed process does not. Other sessions of a client may claim mail for a session that
// ended while its name is unused, because no other agent has that name. This does not apply to pools, reservations and
// notices. A shell acts as the session that started it: the environment names the session, and the mailbox knows its
// name. A name from --agent or HANDOFF_AGENT wins.
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

// Presence knows the present agents and connections, in the process that owns the store. A new service knows only
// connections that were announced to it, see [Presence.IsSettled]. Its methods may be called concurrently.
type Presence struct {
	*presence.Tracker
	Now     func() time.Time
	Started time.Time // when the service began
	Alone   bool      // no other process can announce a connection of an earlier service
}

// IsConnectionOpen reports whether a connection is open, as far as this process was told. The empty name is never open.
func (h Presence) IsConnectionOpen(conn string) bool {
	_, open := h.Connection(conn)
	return open
}

// ActsOverConnection reports whether an agent acts over an open connection that satisfies wanted. Callers use it to
// tell two sessions under one name apart.
func (h Presence) ActsOverConnection(a schemas.Agent, wanted func(presence.Connection) bool) bool {
	return slices.ContainsFunc(h.Connections(presence.ConnectionFilter{Agent: a}), wanted)
}

// ActingAgents returns the agents that act over any open connection, sorted, each once. Agents over HTTP and on the
// command line have no connection and are not among them.
func (h Presence) ActingAgents() []schemas.Agent {
	here := map[schemas.Agent]bool{}
	for _, c := range h.Connections(presence.ConnectionFilter{}) {
		for _, a := range c.Agents {
			here[a] = true
		}
	}
	return slices.Sorted(maps.Keys(here))
}

// IsSettled reports whether a connection that is not known to be open is gone: no other process can announce it, or the
// service has run for five seconds.
func (h Presence) IsSettled() bool { return h.Alone || h.Now().Sub(h.Started) >= names.Settling }

// IsNameInUse reports whether a session may use a name now. The connection of an agent that chose its name is not
// stored, so a new service waits until it could be announced. Until then its mail is not given to others: a delay of a
// few seconds is harmless, two agents on the same work are not.
func (h Presence) IsNameInUse(a store.Agent) bool {
	return h.IsActing(a.Card.Name) || h.NameFacts(a).IsHeld() || a.Client == "" && !h.IsSettled()
}

// NameFacts returns the facts about a name now: its stored row, and the tracker's knowledge of its connection.
func (h Presence) NameFacts(a store.Agent) names.Name {
	return names.Name{
		Agent: a.Card.Name, Client: a.Client,
		Session: a.Session, Conn: a.Conn, Process: a.Process, Left: a.Left, Unseen: h.Now().Sub(a.Seen.Time()).Abs(),
		Open: h.IsConnectionOpen(a.Conn), Settled: h.IsSettled(),
	}
}

// nameFactsForSession returns the facts about a name for a session: those of [Presence.NameFacts], and whether another
// session acts under it.
func (h Presence) nameFactsForSession(session string, a store.Agent) names.Name {
	n := h.NameFacts(a)
	n.Shared = h.ActsOverConnection(a.Card.Name, func(c presence.Connection) bool { return c.Session != session })
	return n
}

// allNameFactsForSession returns the facts about all names of a client's sessions for a session.
func (h Presence) allNameFactsForSession(v *store.View, client schemas.Agent, session string) (known []names.Name, err error) {
	for a, err := range AgentsOfClient(v, client) {
		if err != nil {
			return nil, err
		}
		known = append(known, h.nameFactsForSession(session, a))
	}
	return known, nil
}

// ChooseName chooses the name of a session of a client: by the ladder of the caller, else the vacant name with the
// lowest number. A caller that stores the choice in the same transaction gives two concurrent sessions two names. It
// reads the names of the client's sessions, and then tries numbers from 1.
func (h Presence) ChooseName(
	v *store.View, client schemas.Agent, ladder names.Ladder, c names.Caller,
) (store.Agent, error) {
	known, err := h.allNameFactsForSession(v, client, c.Session)
	if err != nil {
		return store.Agent{}, err
	}
	if i := ladder.FindIndex(known, c); i >= 0 {
		return AgentOrNew(v, known[i].Agent)
	}
	for n := 1; ; n++ {
		a, err := AgentOrNew(v, names.NthName(client, n))
		if err != nil || h.nameFactsForSession(c.Session, a).IsVacantFor(client) {
			return a, err
		}
	}
}

// AgentOrNew returns the stored row of an agent, or a new row. A new row has the file's declaration of the role with
// which its name begins. It writes nothing. A new name costs one more read for each hyphen in it, until a role is
// found.
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

// RolePrefix returns the longest role with which a name of several words begins, as testing-specialist for
// testing-specialist-RedStone; "" for none. is reports whether a name is a role. RolePrefix calls it for the longest
// first, and never for the whole name.
func RolePrefix(name schemas.Agent, is func(schemas.Agent) bool) schemas.Agent {
	for at := strings.LastIndexByte(string(name), '-'); at > 0; at = strings.LastIndexByte(string(name[:at]), '-') {
		if is(name[:at]) {
			return name[:at]
		}
	}
	return ""
}

// AgentsOfClient yields the agents whose names were given to sessions of the client, by name. It skips agents that
// chose their own name. It reads the rows of all agents with the same beginning of the name.
func AgentsOfClient(v *store.View, client schemas.Agent) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		for a, err := range v.AgentsWithPrefix(names.CommonPrefix(client)) {
			if (err != nil || a.Client == client) && !yield(a, err) {
				return
			}
		}
	}
}

// ParseClient parses the name of a client, which becomes the name of its sessions. The error is invalid for a reserved
// or malformed name. Human and system are no clients, since their sessions would act as them.
func ParseClient(client schemas.Agent) (schemas.Agent, error) {
	if client == schemas.Human || client == schemas.System {
		return "", schemas.Invalidf("client", "%s is a reserved name", client)
	}
	return schemas.ParseAgent("client", string(client))
}

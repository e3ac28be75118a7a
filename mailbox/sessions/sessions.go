// Package sessions finds the name under which a session acts, and reports whether a session uses a name now.
// [Presence.ChooseName] names a session that connects, and [Presence.ShellName] names a shell or a hook. Package
// sessions joins the stored rows of names with the open connections, and package names decides. Package sessions writes
// nothing; package mailbox stores the chosen names.
//
// A new service presumes for five seconds that earlier connections are still open. Until then, running processes
// announce their connections.
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

// Presence knows the present agents and connections, in the process that owns the store. It knows only connections that
// were announced to this process, see [Presence.IsSettled]. Its methods may be called concurrently.
type Presence struct {
	*presence.Tracker
	Now     func() time.Time
	Started time.Time // when the service began
	Alone   bool      // no other process can announce a connection of an earlier service
}

// IsConnectionOpen reports whether a connection was announced to this process and not closed. It returns false for the
// empty name.
func (h Presence) IsConnectionOpen(conn string) bool {
	_, open := h.Connection(conn)
	return open
}

// ActsOverConnection reports whether an agent acts over an open connection for which wanted returns true. Callers use
// it to distinguish two sessions with the same name.
func (h Presence) ActsOverConnection(a schemas.Agent, wanted func(presence.Connection) bool) bool {
	return slices.ContainsFunc(h.Connections(presence.ConnectionFilter{Agent: a}), wanted)
}

// IsBorrowed reports whether the caller acts under the name of an agent that is here over a connection of another
// session. That agent reads its own notices, so a call of this caller marks none of them as read.
func (h Presence) IsBorrowed(by schemas.Caller) bool {
	return by.Borrowed && h.ActsOverConnection(by.Agent, func(c presence.Connection) bool {
		return !h.IsSameSession(c.Name, by.Conn)
	})
}

// IsSameSession reports whether two open connections belong to one client session, see
// [presence.Connection.IsSameSession]. A connection belongs to its own session even if it is not open.
func (h Presence) IsSameSession(conn, other string) bool {
	c, open := h.Connection(conn)
	d, both := h.Connection(other)
	return conn == other && conn != "" || open && both && c.IsSameSession(d)
}

// Successor returns the newest other open connection of the session of c, which may have closed. It returns false if
// there is none.
func (h Presence) Successor(c presence.Connection) (newest presence.Connection, ok bool) {
	for _, d := range h.Connections(presence.ConnectionFilter{}) {
		if d.Name != c.Name && d.Order > newest.Order && d.IsSameSession(c) {
			newest, ok = d, true
		}
	}
	return newest, ok
}

// CountSessions returns the number of client sessions that act under a name now.
func (h Presence) CountSessions(a schemas.Agent) (sessions int) {
	all := h.Connections(presence.ConnectionFilter{Agent: a})
	for i, c := range all {
		if !slices.ContainsFunc(all[:i], c.IsSameSession) {
			sessions++
		}
	}
	return sessions
}

// ActingAgents returns the agents that act over an open connection, sorted by name. It omits agents over HTTP and on
// the command line, because these have no connection.
func (h Presence) ActingAgents() []schemas.Agent {
	here := map[schemas.Agent]bool{}
	for _, c := range h.Connections(presence.ConnectionFilter{}) {
		for _, a := range c.Agents {
			here[a] = true
		}
	}
	return slices.Sorted(maps.Keys(here))
}

// IsSettled reports whether all open connections are known to this service, so that any other connection is gone. It
// returns true if no other process can announce a connection, or if the service has run for five seconds.
func (h Presence) IsSettled() bool { return h.Alone || h.Now().Sub(h.Started) >= names.SettlingTime }

// IsNameInUse reports whether a session may use a name now. The store does not keep the connection of an agent that
// chose its name. So for the first five seconds, a new service treats each of these names as used; otherwise two agents
// could work on the same mail.
func (h Presence) IsNameInUse(a store.Agent) bool {
	return h.IsActing(a.Card.Name) || h.NameFacts(a).IsHeld() || a.Client == "" && !h.IsSettled()
}

// NameFacts returns the facts about a name now, from its stored row and from its connection.
func (h Presence) NameFacts(a store.Agent) names.Name {
	return names.Name{
		Agent: a.Card.Name, Client: a.Client,
		Session: a.Session, Conn: a.Conn, Process: a.Process, Parent: a.Parent, Left: a.Left, Unseen: h.Now().Sub(a.Seen.Time()).Abs(),
		Open: !a.Left && h.IsConnectionOpen(a.Conn), Settled: h.IsSettled(),
	}
}

// nameFactsForSession returns the facts about a name, as [Presence.NameFacts] does, and whether a session other than
// the caller's acts under the name.
func (h Presence) nameFactsForSession(by names.Caller, a store.Agent) names.Name {
	n := h.NameFacts(a)
	own := presence.Connection{Name: by.Conn, Own: a.Card.Name, Session: by.Session, Parent: by.Parent}
	n.Shared = h.ActsOverConnection(a.Card.Name, func(c presence.Connection) bool { return !own.IsSameSession(c) })
	return n
}

// allNameFactsForSession returns the facts about all names that the server gave to sessions of a client, see
// [Presence.nameFactsForSession].
func (h Presence) allNameFactsForSession(v *store.View, client schemas.Agent, by names.Caller) (known []names.Name, err error) {
	for a, err := range AgentsOfClient(v, client) {
		if err != nil {
			return nil, err
		}
		known = append(known, h.nameFactsForSession(by, a))
	}
	return known, nil
}

// ChooseName chooses the name for a session of a client. It prefers the name that the ladder finds. If the ladder finds
// none, it takes the vacant name with the lowest number. If the caller stores the name in the same transaction, two
// concurrent sessions get different names.
func (h Presence) ChooseName(
	v *store.View, client schemas.Agent, ladder names.Ladder, c names.Caller,
) (store.Agent, error) {
	known, err := h.allNameFactsForSession(v, client, c)
	if err != nil {
		return store.Agent{}, err
	}
	if i := ladder.FindIndex(known, c); i >= 0 {
		return AgentOrNew(v, known[i].Agent)
	}
	for n := 1; ; n++ {
		a, err := AgentOrNew(v, names.NthName(client, n))
		if err != nil || h.nameFactsForSession(c, a).IsVacantFor(client) {
			a.Session = "" // of an earlier session
			return a, err
		}
	}
}

// AgentOrNew returns the stored row of an agent, or a new row for an unknown name. If a file declares a role with which
// the name begins, the new row has the declaration of that role. AgentOrNew does not store the new row.
func AgentOrNew(v *store.View, name schemas.Agent) (found store.Agent, err error) {
	a, err := v.Agent(name)
	if a != nil && err == nil {
		return *a, nil
	}
	found.Card.Name = name
	RolePrefix(name, func(role schemas.Agent) bool {
		a, err = v.Agent(role)
		if a == nil || err != nil || a.Declared == nil || a.Declared.Role != string(role) {
			return err != nil
		}
		found.Card, found.Declared = a.Card, a.Declared
		found.Card.Name, found.Card.Away = name, false
		return true
	})
	return found, err
}

// RolePrefix returns the longest role with which a name begins: testing-specialist for testing-specialist-RedStone. It
// returns "" if the name begins with no role. It calls the function `is` for each beginning that ends before a hyphen,
// longest first. This function reports whether its argument is a role.
func RolePrefix(name schemas.Agent, is func(schemas.Agent) bool) schemas.Agent {
	for at := strings.LastIndexByte(string(name), '-'); at > 0; at = strings.LastIndexByte(string(name[:at]), '-') {
		if is(name[:at]) {
			return name[:at]
		}
	}
	return ""
}

// AgentsOfClient yields the agents whose names the server gave to sessions of a client, sorted by name. It skips agents
// that chose their own name.
func AgentsOfClient(v *store.View, client schemas.Agent) iter.Seq2[store.Agent, error] {
	return func(yield func(store.Agent, error) bool) {
		for a, err := range v.AgentsWithPrefix(names.CommonPrefix(client)) {
			if (err != nil || a.Client == client) && !yield(a, err) {
				return
			}
		}
	}
}

// ParseClient parses the name of a client. The error is invalid for a malformed name, and for human and system, because
// the sessions of a client act under its name.
func ParseClient(client schemas.Agent) (schemas.Agent, error) {
	if client == schemas.Human || client == schemas.System {
		return "", schemas.Invalidf("client", "%s is a reserved name", client)
	}
	return schemas.ParseAgent("client", string(client))
}

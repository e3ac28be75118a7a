package sessions

import (
	"slices"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/store"
)

// ShellName returns the name under which a shell or a hook acts that a client started: the name with a tie to it
// ([names.Shell]); else the name of the client's only present session; else the client's own name. The error is invalid
// for a client with a malformed name, and if another session acts under the client's own name; it lists the present
// sessions. It writes nothing: asking gives no session a name.
func (h Presence) ShellName(v *store.View, in schemas.SessionIn) (schemas.Agent, error) {
	client, err := ParseClient(in.Client)
	if err != nil {
		return "", err
	}
	known, err := h.allNameFactsForSession(v, client, in.Session)
	if err != nil {
		return "", err
	}
	c := names.Caller{Session: in.Session, Process: in.Process, ServerName: h.nearestServerName(known, in)}
	if i := names.Shell.FindIndex(known, c); i >= 0 {
		return known[i].Agent, nil
	}
	here := h.presentNames(known, client)
	switch possible := h.filterPossibleNames(here, known, in); {
	case len(possible) == 1:
		return possible[0], nil
	case !slices.Contains(here, client):
		return client, nil
	}
	return "", schemas.Invalidf("agent", "nothing tells which session of %s this is", client).
		WithAgents(here).WithHint("Each session was told its name when it began.")
}

// nearestServerName returns the name of the server that the nearest parent process started, and the first if it started
// several: a client starts servers of subagents later. It skips servers of other known sessions.
func (h Presence) nearestServerName(known []names.Name, in schemas.SessionIn) (name schemas.Agent) {
	for _, process := range in.Ancestors {
		first := 0
		for _, n := range known {
			c, _ := h.Connection(n.Conn)
			if c.Parent == process && !belongsToOtherSession(n, in) && (first == 0 || c.Order < first) {
				name, first = n.Agent, c.Order
			}
		}
		if first != 0 {
			return name
		}
	}
	return ""
}

// belongsToOtherSession reports whether a name belongs to another known session.
func belongsToOtherSession(n names.Name, in schemas.SessionIn) bool {
	return in.Session != "" && n.Session != "" && n.Session != in.Session
}

// filterPossibleNames removes the names that cannot be the caller's: names of other sessions of the client, and names
// whose server was not started by a parent process of this shell. If the shell did not report its parent processes,
// nothing is removed: the client may have started a session that its server does not know yet.
func (h Presence) filterPossibleNames(here []schemas.Agent, known []names.Name, in schemas.SessionIn) []schemas.Agent {
	if len(in.Ancestors) == 0 {
		return here
	}
	return slices.DeleteFunc(slices.Clone(here), func(name schemas.Agent) bool {
		i := slices.IndexFunc(known, func(n names.Name) bool { return n.Agent == name })
		if i < 0 {
			return false
		}
		c, _ := h.Connection(known[i].Conn)
		return belongsToOtherSession(known[i], in) || c.Parent != 0 && !slices.Contains(in.Ancestors, c.Parent)
	})
}

// presentNames returns the names of a client that sessions use now, with the client's own name, which an agent may have
// chosen.
func (h Presence) presentNames(known []names.Name, client schemas.Agent) (here []schemas.Agent) {
	for _, n := range known {
		if n.IsHeld() || h.IsActing(n.Agent) {
			here = append(here, n.Agent)
		}
	}
	if h.IsActing(client) && !slices.Contains(here, client) {
		here = slices.Insert(here, 0, client)
	}
	return here
}

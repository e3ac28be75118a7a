package sessions

import (
	"slices"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/store"
)

// ShellName returns the name under which a shell or a hook of a client acts. It prefers the name that [names.Shell]
// finds, then the name of the client's only present session, then the client's own name. It stores nothing.
//
// The error is invalid for a malformed client. It is also invalid if several sessions are possible and one of them has
// the client's own name. Then the error lists the present sessions.
func (h Presence) ShellName(v *store.View, in schemas.SessionIn) (schemas.Agent, error) {
	client, err := ParseClient(in.Client)
	if err != nil {
		return "", err
	}
	c := names.Caller{Session: in.Session, Process: in.Process}
	known, err := h.allNameFactsForSession(v, client, c)
	if err != nil {
		return "", err
	}
	c.ServerName = nearestServerName(known, in)
	if i := names.Shell.FindIndex(known, c); i >= 0 {
		return known[i].Agent, nil
	}
	here := h.presentNames(known, client)
	switch possible := filterPossibleNames(here, known, in); {
	case len(possible) == 1:
		return possible[0], nil
	case !slices.Contains(here, client):
		return client, nil
	}
	return "", schemas.Invalidf("agent", "nothing tells which session of %s this is", client).
		WithAgentChoices(here).WithHint("Each session was told its name when it began.")
}

// nearestServerName returns the name of the servers that the nearest parent process of the shell started. If a process
// has several sessions, it returns the name that sorts first, because a client starts the servers of subagents later.
// It skips servers of other sessions.
func nearestServerName(known []names.Name, in schemas.SessionIn) schemas.Agent {
	for _, process := range in.Ancestors {
		for _, n := range known {
			if process != 0 && n.Parent == process && n.IsHeld() && !belongsToOtherSession(n, in) {
				return n.Agent
			}
		}
	}
	return ""
}

// belongsToOtherSession reports whether a name belongs to a session with another id than the caller's. It returns false
// if one of the ids is unknown.
func belongsToOtherSession(n names.Name, in schemas.SessionIn) bool {
	return in.Session != "" && n.Session != "" && n.Session != in.Session
}

// filterPossibleNames returns the list `here` without the names that cannot be the caller's: names of other sessions,
// and names whose server was started by a process that is no parent of this shell. It removes no name if the shell did
// not report its parent processes.
func filterPossibleNames(here []schemas.Agent, known []names.Name, in schemas.SessionIn) []schemas.Agent {
	if len(in.Ancestors) == 0 {
		return here
	}
	return slices.DeleteFunc(slices.Clone(here), func(name schemas.Agent) bool {
		return slices.ContainsFunc(known, func(n names.Name) bool {
			return n.Agent == name && (belongsToOtherSession(n, in) || n.Parent != 0 && !slices.Contains(in.Ancestors, n.Parent))
		})
	})
}

// presentNames returns the names that sessions of a client use now. They include the client's own name if an agent
// chose it.
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

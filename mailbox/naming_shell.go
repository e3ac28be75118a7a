package mailbox

import (
	"context"
	"slices"
	"time"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/store"
)

// NameOf gives the name under which a session acts, for a shell that the client of the session started. It is the name
// that the shell has a tie to ([names.Shell]); else that of the only session of the client that is here; else that of
// the client itself. Where a client says neither session nor process, the processes above the shell tell its sessions
// apart.
//
// The commands call it when nobody said a name. Nothing is written, so it can be asked for each command. The error is
// invalid for a client whose name cannot be that of an agent, and where somebody else acts under the client's own name:
// then the shell has to say its name, and the error lists those that are here, twenty at most. A wrong guess would let
// one session act with the mail of another.
func (s *Service) NameOf(
	ctx context.Context, _ schemas.Caller, in schemas.SessionIn,
) (out schemas.SessionOut, err error) {
	client, err := parseClient(in.Client)
	if err != nil {
		return out, err
	}
	now := s.Now()
	err = s.Store.View(ctx, func(v *store.View) (err error) {
		out.Agent, err = s.sessionName(v, client, in, now)
		return err
	})
	return out, s.coded(err)
}

// sessionName is the name that [Service.NameOf] and the hooks of a session find, see there.
func (s *Service) sessionName(
	v *store.View, client schemas.Agent, in schemas.SessionIn, now time.Time,
) (schemas.Agent, error) {
	known, err := s.allNamed(v, client, in.Session, now)
	if err != nil {
		return "", err
	}
	c := names.Caller{Session: in.Session, Process: in.Process, Beside: s.nameBeside(known, in)}
	if i := names.Shell.Find(known, c); i >= 0 {
		return known[i].Agent, nil
	}
	here := s.namesHere(known, client)
	switch possible := s.notElsewhere(here, known, in); {
	case len(possible) == 1:
		return possible[0], nil
	case !slices.Contains(here, client):
		return client, nil
	default:
		return "", schemas.Invalidf("agent", "nothing tells which session of %s this is", client).
			WithKnown(texts(here[:min(len(here), mostNamed)])...).
			WithHint("Each session was told its name when it began.")
	}
}

// nameBeside gives the name of the server that the nearest process above started beside the shell, and of several that
// of the first: a client starts those of subagents later, and one whose session is known is that of another.
func (s *Service) nameBeside(known []names.Name, in schemas.SessionIn) (name schemas.Agent) {
	for _, process := range in.Above {
		first := 0
		for _, n := range known {
			c, _ := s.here.Connection(n.Conn)
			if c.Parent == process && !ofAnotherSession(n, in) && (first == 0 || c.Order < first) {
				name, first = n.Agent, c.Order
			}
		}
		if first != 0 {
			return name
		}
	}
	return ""
}

// ofAnotherSession tells whether a name is known to be that of another session.
func ofAnotherSession(n names.Name, in schemas.SessionIn) bool {
	return in.Session != "" && n.Session != "" && n.Session != in.Session
}

// notElsewhere leaves out of the names under which somebody acts those of other sessions, and of servers that none of
// the processes above started. Where these cannot be seen, a client may have begun a session of which its server has
// not heard. Nothing is left out where the shell says nothing of the processes above it.
func (s *Service) notElsewhere(here []schemas.Agent, known []names.Name, in schemas.SessionIn) []schemas.Agent {
	if len(in.Above) == 0 {
		return here
	}
	return slices.DeleteFunc(slices.Clone(here), func(name schemas.Agent) bool {
		i := slices.IndexFunc(known, func(n names.Name) bool { return n.Agent == name })
		if i < 0 {
			return false
		}
		c, _ := s.here.Connection(known[i].Conn)
		return ofAnotherSession(known[i], in) || c.Parent != 0 && !slices.Contains(in.Above, c.Parent)
	})
}

// namesHere are the names of a client under which somebody acts. One that somebody chose is not kept with others of
// the client, but that of the client itself is looked for.
func (s *Service) namesHere(known []names.Name, client schemas.Agent) (here []schemas.Agent) {
	for _, n := range known {
		if n.Held() || s.acting(n.Agent) {
			here = append(here, n.Agent)
		}
	}
	if s.acting(client) && !slices.Contains(here, client) {
		here = slices.Insert(here, 0, client)
	}
	return here
}

package mailbox

import (
	"context"
	"slices"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// NameOf gives the name under which a session acts, as a shell that its client started has to know. That is the
// name of the connection from the same process, because a client may begin another session while its connection
// stays; else the one that the session was given; else that of the only session of the client that is here; else
// that of the client. Where somebody else acts under that, the shell has to say who it is. Processes above tell the
// sessions of a client apart that says nothing else.
func (s *Service) NameOf(ctx context.Context, _ schemas.Caller, in schemas.SessionIn) (out schemas.SessionOut, err error) {
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

func (s *Service) sessionName(v *store.View, client schemas.Agent, in schemas.SessionIn, now time.Time) (schemas.Agent, error) {
	var all []store.Agent
	for a, err := range namesOf(v, client) {
		if err != nil {
			return "", err
		}
		all = append(all, a)
	}
	return s.nameAmong(all, client, in, now)
}

func (s *Service) nameAmong(all []store.Agent, client schemas.Agent, in schemas.SessionIn, now time.Time) (schemas.Agent, error) {
	behind := func(a store.Agent) bool { return in.Process != "" && a.Process == in.Process }
	beside := s.besideOf(all, in)
	for _, fits := range []func(store.Agent) bool{
		func(a store.Agent) bool { return behind(a) && s.conns.live(a.Conn) },
		func(a store.Agent) bool { return behind(a) && s.opened(a, now) },
		func(a store.Agent) bool { return hadBy(a, in.Session, now) && s.opened(a, now) },
		func(a store.Agent) bool { return a.Card.Name == beside },
		func(a store.Agent) bool { return hadBy(a, in.Session, now) },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].Card.Name, nil
		}
	}
	here := s.hereOf(all, client, now)
	switch maybe := s.maybeOf(here, all, in); {
	case len(maybe) == 1:
		return maybe[0], nil
	case !slices.Contains(here, client):
		return client, nil
	default:
		return "", schemas.Invalidf("agent", "nothing tells which session of %s this is", client).
			WithKnown(texts(here[:min(len(here), mostNamed)])...).
			WithHint("Say it with --agent NAME: each session was told its name when it began.")
	}
}

// besideOf gives the name of the connection that the client opened which is the nearest process above. Of one that
// opened several, for other sessions of its own, it gives none.
func (s *Service) besideOf(all []store.Agent, in schemas.SessionIn) (name schemas.Agent) {
	for _, process := range in.Above {
		for _, a := range all {
			switch other := a.Session != "" && a.Session != in.Session; {
			case s.conns.parent(a.Conn) != process || other:
			case name != "":
				return ""
			default:
				name = a.Card.Name
			}
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// maybeOf leaves out of the names under which somebody acts those of connections that none of the processes above
// opened.
func (s *Service) maybeOf(here []schemas.Agent, all []store.Agent, in schemas.SessionIn) []schemas.Agent {
	if len(in.Above) == 0 {
		return here
	}
	return slices.DeleteFunc(slices.Clone(here), func(name schemas.Agent) bool {
		i := slices.IndexFunc(all, func(a store.Agent) bool { return a.Card.Name == name })
		if i < 0 {
			return false
		}
		parent := s.conns.parent(all[i].Conn)
		return parent != 0 && !slices.Contains(in.Above, parent)
	})
}

// hereOf are the names of a client under which somebody acts. One that somebody chose is not kept with others of
// the client, but that of the client itself is looked for.
func (s *Service) hereOf(all []store.Agent, client schemas.Agent, now time.Time) (here []schemas.Agent) {
	for _, a := range all {
		if s.opened(a, now) || s.conns.acting(a.Card.Name) {
			here = append(here, a.Card.Name)
		}
	}
	if s.conns.acting(client) && !slices.Contains(here, client) {
		here = slices.Insert(here, 0, client)
	}
	return here
}

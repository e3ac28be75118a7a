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
// that of the client. Where somebody else acts under that, the shell has to say who it is.
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
	for _, fits := range []func(store.Agent) bool{
		func(a store.Agent) bool { return behind(a) && s.conns.live(a.Conn) },
		func(a store.Agent) bool { return behind(a) && s.opened(a, now) },
		func(a store.Agent) bool { return hadBy(a, in.Session, now) && s.opened(a, now) },
		func(a store.Agent) bool { return hadBy(a, in.Session, now) },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].Card.Name, nil
		}
	}
	switch here := s.hereOf(all, client, now); {
	case len(here) == 1:
		return here[0], nil
	case !slices.Contains(here, client):
		return client, nil
	default:
		return "", schemas.Invalidf("agent", "%d sessions of %s are here, and nothing tells which of them this is", len(here), client).
			WithKnown(texts(here[:min(len(here), mostNamed)])...).
			WithHint("Say it with --agent NAME: each session was told its name when it began.")
	}
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

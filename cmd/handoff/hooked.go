package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/news"
	"handoff/cmd/handoff/internal/process"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/relay"
)

// A hooked is a session whose client runs this command.
type hooked struct {
	*app
	by    schemas.Caller // without a name, unless one was chosen
	asked schemas.NewsIn
	place workspace.Workspace
}

var (
	errNoClient = errors.New("nothing tells which client this is: give --client")
	errUnused   = errors.New("nobody has used handoff here")
)

// account reads what the client tells of what happened. It may leave its end of the pipe open.
func (a *app) account(ctx context.Context) (news.Account, error) {
	type reading struct {
		news.Account
		err error
	}
	read := make(chan reading, 1)
	go func() { // left behind when nothing comes: the process ends
		account, err := news.Read(a.stdin)
		read <- reading{account, err}
	}()
	select {
	case r := <-read:
		return r.Account, r.err
	case <-ctx.Done():
		return news.Account{}, ctx.Err()
	}
}

// sessionOf tells which session a client gives an account of, and what is to be asked for it. A workspace that is
// not there is not made.
func (a *app) sessionOf(account news.Account, client string, asked schemas.NewsIn) (s hooked, err error) {
	if asked, err = a.identified(account, client, asked); err != nil {
		return s, err
	}
	s = hooked{app: a, by: schemas.Caller{Via: schemas.ViaCLI, AgentID: asked.Session}, asked: asked}
	if a.agent != "" {
		if s.by, err = s.by.As(a.agent); err != nil {
			return s, err
		}
	}
	if filepath.IsAbs(account.Dir) {
		there := *a
		there.cwd = account.Dir
		s.app = &there
	}
	if s.place, err = workspace.Find(s.app.place()); err != nil {
		return s, err
	}
	if _, used := s.place.Store(); !used {
		return s, errUnused
	}
	return s, nil
}

// identified adds to what is asked all that tells which session it is: what its client says of it, and the surroundings.
func (a *app) identified(account news.Account, client string, asked schemas.NewsIn) (schemas.NewsIn, error) {
	around, err := identity.Caller("", a.getenv, false)
	if err != nil {
		return asked, err
	}
	asked.Client = account.Client(client, around.Agent)
	if asked.Client == "" && a.agent == "" {
		return asked, errNoClient
	}
	if asked.Session == "" {
		asked.Session = identity.Session(asked.Client, a.getenv)
	}
	asked.Process = identity.Process(asked.Client, a.getenv)
	asked.Follows = asked.Process != "" // who is told in a shell is told as a server
	if asked.Above == nil {
		asked.Above = process.Above()
	}
	return asked, nil
}

// visit opens the workspace for as long as fn runs. What goes wrong meanwhile is nothing to a client.
func (s hooked) visit(ctx context.Context, fn func(*visit) error) error {
	return s.open(ctx, Opening{Logger: slog.New(slog.DiscardHandler)}, func(_ workspace.Workspace, boxes *relay.Relay) error {
		return fn(newConnection(s.app, boxes, s.by))
	})
}

func (v *visit) news(ctx context.Context, asked schemas.NewsIn, out *schemas.NewsOut) error {
	*out = schemas.NewsOut{}
	_, err := v.call(ctx, "session_news", asked, out)
	return err
}

// orUnheard takes back that a session was told something, if it was not because of err.
func (v *visit) orUnheard(ctx context.Context, err error, asked schemas.NewsIn, out schemas.NewsOut) error {
	if _, woken := errors.AsType[Exit](err); err == nil || woken || out.Marked == nil {
		return err
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), hookMercy)
	defer end()
	v.by.Agent = out.Agent
	back := schemas.NewsIn{On: schemas.OnUnheard, Session: asked.Session, Unheard: out.Marked}
	return errors.Join(err, v.news(ctx, back, &schemas.NewsOut{}))
}

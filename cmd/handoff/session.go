package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"

	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// A session is the mailboxes of the workspace, open, and who acts on them.
type session struct {
	boxes *open.Mailboxes
	by    schemas.Caller
	app   *app
}

// session opens the workspace for as long as fn runs.
func (a *app) session(ctx context.Context, by schemas.Caller, fn func(*session) error) error {
	boxes, err := a.open(ctx, false, slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	err = fn(&session{boxes, by, a})
	if closing := boxes.Close(); closing != nil && err == nil {
		err = schemas.Errorf(schemas.Internal, "close the store: %w", closing)
	}
	return err
}

func (a *app) open(ctx context.Context, server bool, log *slog.Logger) (*open.Mailboxes, error) {
	place, err := workspace.Find(a.place())
	if err != nil {
		return nil, err
	}
	if err := a.keeping.check(); err != nil {
		return nil, err
	}
	return open.Workspace(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Server: server, Now: a.now, Logger: log,
		Limits: a.keeping.limits, Lease: a.keeping.lease.Duration, LeaseMax: a.keeping.leaseMax.Duration,
	})
}

// call calls one tool and reads its result into out, if that is not nil.
func (s *session) call(ctx context.Context, tool string, args, out any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	id := tools.NewRequestID(s.app.now(), rand.Reader)
	by := s.by
	by.Request = id
	raw, err := s.boxes.Invoke(ctx, tools.Call{ID: id, Caller: by, Tool: tool, Args: b})
	if err != nil || out == nil {
		return raw, err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, schemas.InternalError(err)
	}
	return raw, nil
}

// once opens the workspace for one call of a tool that writes or only reads.
func once[Out any](ctx context.Context, a *app, tool string, args any) (out Out, raw json.RawMessage, err error) {
	by, err := a.caller(writes(tool))
	if err != nil {
		return out, nil, err
	}
	err = a.session(ctx, by, func(s *session) error {
		raw, err = s.call(ctx, tool, args, &out)
		return err
	})
	return out, raw, err
}

// writes tells whether a tool may only be called under a name. A tool that does not exist is refused later.
func writes(tool string) bool {
	t, err := tools.Find(tool)
	return err == nil && !t.ReadOnly && !t.Admin
}

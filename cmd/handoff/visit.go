package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/relay"
)

// A visit is the way to the mailboxes of the workspace for the calls of one command, and who makes them.
type visit struct {
	boxes *relay.Relay
	by    schemas.Caller
	app   *app

	part    part  // of a wait, that the next call covers
	unnamed error // why nobody knows which session calls; nil if that is known, or nobody asked
}

func newConnection(a *app, boxes *relay.Relay, by schemas.Caller) *visit {
	return &visit{boxes: boxes, by: by, app: a}
}

// visit opens the workspace for as long as fn runs.
func (a *app) visit(ctx context.Context, by schemas.Caller, fn func(*visit) error) error {
	log := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return a.open(ctx, Opening{Logger: log}, func(_ workspace.Workspace, boxes *relay.Relay) error {
		v := newConnection(a, boxes, by)
		if err := v.actAsSession(ctx); err != nil {
			return err
		}
		return fn(v)
	})
}

// actAsSession takes the name of the session in whose shell this runs, where nothing else was said: its client
// may have several. What is said to the user from here on says it too. A session that cannot be told from others
// may still read.
func (v *visit) actAsSession(ctx context.Context) error {
	if v.app.agent != "" || v.by.Agent == "" || v.by.Agent == schemas.Human {
		return nil
	}
	asked := arguments{"client": v.by.Agent, "session": v.by.AgentID, "process": identity.Process(v.by.Agent, v.app.getenv)}
	var out schemas.SessionOut
	_, err := v.call(ctx, "session_name", asked, &out)
	switch {
	case needsName(err):
		v.by.Agent, v.unnamed = "", err
		return nil
	case err == nil && out.Agent != v.by.Agent:
		v.by.Agent, v.app.agent = out.Agent, string(out.Agent)
	}
	return err
}

// needsName tells whether a call was refused because it did not say under which name it is made.
func needsName(err error) bool {
	e := schemas.AsError(err)
	return e != nil && e.Code == schemas.Invalid && e.Field == "agent"
}

// Opening says how a process opens its workspace.
type Opening struct {
	Logger  *slog.Logger
	Stays   bool       // as long as a client is there, or until a signal; else for one command
	Crowded func(bool) // see [relay.Config]; nil: there is no limit
}

// open finds the workspace and opens it for as long as fn runs.
func (a *app) open(ctx context.Context, o Opening, fn func(workspace.Workspace, *relay.Relay) error) error {
	place, err := workspace.Find(a.place())
	if err != nil {
		return err
	}
	boxes, err := open.Workspace(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Runtime: a.getenv("XDG_RUNTIME_DIR"), Stays: o.Stays,
		Version: a.Release.Version, Now: a.now, Awake: a.awake, Logger: o.Logger, Crowded: o.Crowded,
		Limits: a.keeping.limits, Lease: a.keeping.lease.Duration, LeaseMax: a.keeping.leaseMax.Duration,
	})
	if err != nil {
		return err
	}
	if err := workspace.Remember(place); err != nil { // only people who look for it later miss it
		o.Logger.WarnContext(ctx, "the project was not written down", slog.Any("error", err))
	}
	err = fn(place, boxes)
	if closing := boxes.Close(); closing != nil && err == nil {
		err = schemas.Errorf(schemas.Internal, "close the store: %w", closing)
	}
	return err
}

// call calls one tool and reads its result into out, if that is not nil.
func (v *visit) call(ctx context.Context, tool string, args, out any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	raw, err := v.boxes.Invoke(ctx, v.request(tool, b))
	if v.unnamed != nil && needsName(err) {
		err = v.unnamed
	}
	if err != nil || out == nil {
		return raw, err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, schemas.InternalError(err)
	}
	return raw, nil
}

// request is one call of a tool, under an id of its own.
func (v *visit) request(tool string, args json.RawMessage) tools.Call {
	id := tools.NewRequestID(v.app.now(), rand.Reader)
	return tools.Call{ID: id, Caller: v.by, Tool: tool, Args: args, Since: v.part.since, Until: v.part.until}
}

// once opens the workspace for one call of a tool that writes or only reads.
func once[Out any](ctx context.Context, a *app, tool string, args any) (out Out, raw json.RawMessage, err error) {
	by, err := a.caller(writes(tool))
	if err != nil {
		return out, nil, err
	}
	err = a.visit(ctx, by, func(v *visit) error {
		raw, err = v.call(ctx, tool, args, &out)
		return err
	})
	return out, raw, err
}

// writes tells whether a tool may only be called under a name. A tool that does not exist is refused later.
func writes(tool string) bool {
	t, err := tools.Find(tool)
	return err == nil && !t.ReadOnly && !t.Admin
}

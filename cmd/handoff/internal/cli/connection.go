package cli

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

// A Connection is that of a command to its workspace, for as long as the command runs. All calls over it are made by
// one caller, as it is: only [App.Connect] looks for the name of the session. It is for one goroutine.
type Connection struct {
	Boxes   *relay.Relay
	By      schemas.Caller
	Unnamed error // why it is not known which session calls; nil if that is known, or nobody asked

	App     *App
	part    part          // of a wait, that the next call covers
	nothing tools.Invoker // takes the calls where there is no workspace, see [App.Look]; Boxes is nil then
}

// Connect opens the workspace for as long as fn runs, and makes it where there is none. A caller that its surroundings
// name acts as the session in whose shell this runs, which may be one of several of its client.
func (a *App) Connect(ctx context.Context, by schemas.Caller, fn func(*Connection) error) error {
	if err := a.checkTyped(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return a.Open(ctx, Opening{Logger: log}, func(_ workspace.Workspace, boxes *relay.Relay) error {
		conn := &Connection{Boxes: boxes, By: by, App: a}
		if err := conn.actAsSession(ctx); err != nil {
			return err
		}
		return fn(conn)
	})
}

// actAsSession takes the name of the session in whose shell this runs, where nothing else was said: its client
// may have several. What is said to the user from here on says it too. A session that cannot be told from others
// may still read.
func (conn *Connection) actAsSession(ctx context.Context) error {
	if conn.App.Agent != "" || conn.By.Agent == "" || conn.By.Agent == schemas.Human {
		return nil
	}
	process := identity.Process(conn.By.Agent, conn.App.Getenv)
	asked := Arguments{"client": conn.By.Agent, "session": conn.By.AgentID, "process": process}
	var out schemas.SessionOut
	_, err := conn.Call(ctx, "session_name", asked, &out)
	switch {
	case needsName(err):
		conn.By.Agent, conn.Unnamed = "", err
		return nil
	case err == nil && out.Agent != conn.By.Agent:
		conn.By.Agent, conn.App.Agent = out.Agent, string(out.Agent)
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

// Open finds the workspace and opens it for as long as fn runs.
func (a *App) Open(ctx context.Context, o Opening, fn func(workspace.Workspace, *relay.Relay) error) error {
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	return a.OpenAt(ctx, place, o, func(boxes *relay.Relay) error { return fn(place, boxes) })
}

// OpenAt opens a workspace that was found for as long as fn runs.
func (a *App) OpenAt(ctx context.Context, place workspace.Workspace, o Opening, fn func(*relay.Relay) error) error {
	boxes, err := open.Workspace(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Runtime: a.Getenv("XDG_RUNTIME_DIR"), Stays: o.Stays,
		Version: a.Release.Version, Now: a.Now, Awake: a.Awake, Logger: o.Logger, Crowded: o.Crowded,
		Limits: a.Limits.limits, Lease: a.Limits.lease.Duration, LeaseMax: a.Limits.leaseMax.Duration, Secrets: tools.Secrets(a.Limits.secrets),
	})
	if err != nil {
		return err
	}
	if err := workspace.Remember(place); err != nil { // only people who look for it later miss it
		o.Logger.WarnContext(ctx, "the project was not written down", slog.Any("error", err))
	}
	err = fn(boxes)
	if closing := boxes.Close(); closing != nil && err == nil {
		err = schemas.Errorf(schemas.Internal, "close the store: %w", closing)
	}
	return err
}

// Call calls one tool. It gives the result as it is, and reads it into out unless that is nil. An error is coded.
func (conn *Connection) Call(ctx context.Context, tool string, args, out any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	var boxes tools.Invoker = conn.Boxes
	if conn.nothing != nil {
		boxes = conn.nothing
	}
	raw, err := boxes.Invoke(ctx, conn.request(tool, b))
	if e := schemas.AsError(err); e != nil && e.Field == schemas.ByPerson && conn.By.Proof == "" {
		if conn.By.Proof, err = conn.App.InPerson(ctx, e); err != nil {
			return nil, err
		}
		raw, err = boxes.Invoke(ctx, conn.request(tool, b))
		conn.By.Proof = "" // each is asked for
	}
	if conn.Unnamed != nil && needsName(err) {
		err = conn.Unnamed
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
func (conn *Connection) request(tool string, args json.RawMessage) tools.Call {
	id := tools.NewRequestID(conn.App.Now(), rand.Reader)
	return tools.Call{ID: id, Caller: conn.By, Tool: tool, Args: args, Since: conn.part.since, Until: conn.part.until}
}

// Call opens the workspace for one call of a tool, by the caller that [App.Caller] gives, or [App.Looker] where the tool
// only reads. It gives the result read and as it is.
func Call[Out any](ctx context.Context, a *App, tool string, args any) (out Out, raw json.RawMessage, err error) {
	by, err := a.Caller(writes(tool))
	if err == nil && reads(tool) {
		by, err = a.Looker(false)
	}
	if err != nil {
		return out, nil, err
	}
	err = a.Reach(ctx, by, tool, func(conn *Connection) error {
		raw, err = conn.Call(ctx, tool, args, &out)
		return err
	})
	return out, raw, err
}

// Act opens the workspace for as long as fn runs, for the caller that [App.Caller] gives where this tool is called.
func (a *App) Act(ctx context.Context, tool string, fn func(*Connection) error) error {
	by, err := a.Caller(writes(tool))
	if err != nil {
		return err
	}
	return a.Reach(ctx, by, tool, fn)
}

// writes tells whether a tool may only be called under a name. A tool that does not exist is refused later.
func writes(tool string) bool {
	t, err := tools.Find(tool)
	return err == nil && !t.ReadOnly && !t.Admin
}

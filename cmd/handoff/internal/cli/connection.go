package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"time"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/project"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
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
	beside  tools.Invoker // see [Connection.invoker]
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

	// Cluster is the node whose database has the workspace. Nil: HANDOFF_STORE names the database, or there is none.
	Cluster *cluster.Node
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
	if address := a.Getenv("HANDOFF_STORE"); address != "" && o.Cluster == nil {
		node, err := cluster.Join(ctx, cluster.Config{Store: address, Stays: o.Stays, Now: a.Now, Logger: o.Logger})
		if err != nil {
			return err
		}
		defer node.Close()
		o.Cluster = node
	}
	boxes, err := open.Workspace(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Cluster: o.Cluster, Runtime: a.Getenv("XDG_RUNTIME_DIR"), Stays: o.Stays,
		Version: a.Release.Version, Now: a.Now, Awake: a.Awake, Logger: o.Logger, Crowded: o.Crowded,
		Limits: a.Limits.limits, Secrets: tools.Secrets(a.Limits.secrets),
		Lease: a.Limits.lease.Duration, LeaseMax: a.Limits.leaseMax.Duration,
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
	boxes := conn.Invoker()
	raw, err := boxes.Invoke(ctx, conn.request(tool, b))
	if e := schemas.AsError(err); e != nil && e.Field == schemas.PersonField && conn.By.Proof == "" {
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

// Invoker takes the calls, with what this process alone can read for them: who is declared in files, and files of the
// project to which they refer.
func (conn *Connection) Invoker() tools.Invoker {
	if conn.beside == nil {
		dir, _ := conn.App.Location().FilesDir() // none is that of no project
		var boxes tools.Invoker = conn.App.Declaring(cmp.Or[tools.Invoker](conn.nothing, conn.Boxes))
		if checks, err := conn.App.Checks(dir); err == nil {
			boxes = &checking.Completions{Invoker: boxes, ProjectChecks: checks} // they end with this process
		}
		conn.beside = &project.Files{Invoker: boxes, Dir: dir}
	}
	return conn.beside
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

const (
	longestWait = schemas.MaxWait * time.Second // that one call may wait
	pauseBroken = time.Second
)

// part is what one call covers of a wait. All calls of a wait say since when it lasts, so that it keeps its place
// in line. The zero part is that of a call that waits for nothing.
type part struct{ since, until time.Time }

// partAt is the part that begins now, at most as long as one call may wait.
func partAt(now, since, end time.Time) part {
	until := now.Add(longestWait)
	if end.Before(until) {
		until = end
	}
	return part{since, until}
}

// arguments tell how many seconds a call may wait that is made now.
func (p part) arguments(now time.Time) Arguments {
	left := p.until.Sub(now)
	if left <= 0 {
		return Arguments{}
	}
	return Arguments{"wait_seconds": int((left + time.Second - 1) / time.Second)}
}

// Wait makes one call after another until one is done, fails or the time is over; at least one. Each is told
// how many seconds it may wait. While the store is unavailable it is waited for as well.
func (conn *Connection) Wait(ctx context.Context, limit time.Duration, call func(Arguments) (done bool, err error)) error {
	defer func() { conn.part = part{} }()
	since := conn.App.Now()
	end := since.Add(limit)
	for {
		now := conn.App.Now()
		conn.part = partAt(now, since, end)
		done, err := call(conn.part.arguments(now))
		switch {
		case ctx.Err() != nil && !done:
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case done || err != nil && !Unavailable(err) || !conn.App.Now().Before(end):
			return err
		case err != nil:
			platform.Sleep(ctx, pauseBroken)
		}
	}
}

// CallUntil opens the workspace and makes the same call again until a result is as it is to be, or the limit is over;
// at least once. It gives the last result read and as it is.
func CallUntil[Out any](
	ctx context.Context, a *App, limit time.Duration, tool string, args Arguments, is func(Out) bool,
) (out Out, raw json.RawMessage, err error) {
	err = a.Act(ctx, tool, func(conn *Connection) error {
		return conn.Wait(ctx, limit, func(now Arguments) (done bool, err error) {
			maps.Copy(now, args)
			out = *new(Out)
			raw, err = conn.Call(ctx, tool, now, &out)
			return err == nil && is(out), err
		})
	})
	return out, raw, err
}

// Attempt gives what fn gives, or the error of ctx when that is done first. Then fn is left behind, as for input that
// nobody types: it is for commands that end soon after.
func Attempt[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	came := make(chan outcome, 1)
	go func() {
		value, err := fn()
		came <- outcome{value, err}
	}()
	select {
	case o := <-came:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Unavailable tells whether a call failed because the store could not be had: it may be made again.
func Unavailable(err error) bool {
	e, ok := errors.AsType[*schemas.Error](err)
	return ok && e.Code == schemas.Unavailable
}

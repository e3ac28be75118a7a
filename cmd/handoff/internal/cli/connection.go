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

// Connection connects a command to its workspace while the command runs. All calls over it have the same caller. It
// must not be used by several goroutines at once.
type Connection struct {
	Boxes      *relay.Relay
	By         schemas.Caller
	SessionErr error // why the calling client session is not known; nil if it is known, or if it was not needed

	App     *App
	part    waitPart      // of a wait, for the next call
	empty   tools.Invoker // takes the calls if there is no workspace, see [App.ConnectToRead]; Boxes is nil then
	invoker tools.Invoker // see [Connection.invoker]
}

// Connect opens the workspace while fn runs, and creates a missing workspace. If the command line does not name the
// caller, Connect acts as the client session in whose shell this command runs. A client may have several sessions with
// different names.
func (a *App) Connect(ctx context.Context, by schemas.Caller, fn func(*Connection) error) error {
	place, err := a.findTypedWorkspace()
	if err != nil {
		return err
	}
	return a.connectTo(ctx, place, by, fn)
}

// connectTo is [App.Connect] for a known workspace.
func (a *App) connectTo(ctx context.Context, place workspace.Workspace, by schemas.Caller, fn func(*Connection) error) error {
	log := slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return a.OpenWorkspace(ctx, place, OpenOptions{Logger: log}, func(boxes *relay.Relay) error {
		conn := &Connection{Boxes: boxes, By: by, App: a}
		if err := conn.actAsSession(ctx); err != nil {
			return err
		}
		return fn(conn)
	})
}

// actAsSession replaces the caller by the client session in whose shell this command runs. If the command line names
// the caller, it changes nothing. The command lines that handoff then advises contain the name of the session. If
// several sessions are possible, the caller stays without a name and may only read.
func (conn *Connection) actAsSession(ctx context.Context) error {
	if conn.App.Agent != "" || conn.By.Agent == "" || conn.By.Agent == schemas.Human {
		return nil
	}
	asked := identity.SessionOfShell(conn.By, conn.App.Getenv)
	var out schemas.SessionOut
	_, err := conn.Call(ctx, "session_name", asked, &out)
	switch {
	case isNameMissingError(err):
		conn.By.Agent, conn.SessionErr = "", err
		return nil
	case err == nil && out.Agent != conn.By.Agent:
		conn.By.Agent, conn.App.Agent = out.Agent, string(out.Agent)
	}
	return err
}

// isNameMissingError reports whether a call was refused because its caller has no name.
func isNameMissingError(err error) bool {
	e := schemas.AsError(err)
	return e != nil && e.Code == schemas.Invalid && e.Field == "agent"
}

// OpenOptions is the way in which a process opens its workspace.
type OpenOptions struct {
	Logger *slog.Logger
	Stays  bool // open until no client is left, or until a signal; else for one command

	// Cluster is the node whose database has the workspace. It is nil if the workspace is in files, or if HANDOFF_STORE
	// names the database.
	Cluster *cluster.Node
}

// OpenWorkspace opens a workspace while fn runs.
func (a *App) OpenWorkspace(ctx context.Context, place workspace.Workspace, o OpenOptions, fn func(*relay.Relay) error) error {
	boxes, closeWorkspace, err := a.KeepWorkspaceOpen(ctx, place, o)
	if err != nil {
		return err
	}
	return cmp.Or(fn(boxes), closeWorkspace())
}

// KeepWorkspaceOpen opens a workspace until the caller closes it.
func (a *App) KeepWorkspaceOpen(ctx context.Context, place workspace.Workspace, o OpenOptions) (boxes *relay.Relay, closeWorkspace func() error, err error) {
	leave := func() {}
	if address := a.Getenv("HANDOFF_STORE"); address != "" && o.Cluster == nil {
		if o.Cluster, err = cluster.Join(ctx, cluster.Config{Store: address, Stays: o.Stays, Now: a.Now, Logger: o.Logger}); err != nil {
			return nil, nil, err
		}
		leave = o.Cluster.Close
	}
	boxes, err = open.Mailboxes(ctx, open.Config{
		Name: place.Name, Dir: place.Dir, Cluster: o.Cluster, Runtime: a.Getenv("XDG_RUNTIME_DIR"), Stays: o.Stays,
		Version: a.Release.Version, Now: a.Now, Awake: a.Awake, Logger: o.Logger,
		Limits: a.Limits.limits, Secrets: tools.SecretHandling(a.Limits.secrets),
		Lease: a.Limits.lease.Duration, LeaseMax: a.Limits.leaseMax.Duration,
	})
	if err != nil {
		leave()
		return nil, nil, err
	}
	if err := workspace.RecordProject(place); err != nil { // only people that look for it later miss it
		o.Logger.WarnContext(ctx, "the project was not written down", slog.Any("error", err))
	}
	return boxes, func() error {
		defer leave()
		if closing := boxes.Close(); closing != nil {
			return schemas.Errorf(schemas.Internal, "close the store: %w", closing)
		}
		return nil
	}, nil
}

// Call calls one tool. It returns the JSON result, and decodes the result into out if out is not nil. Its errors have
// codes.
func (conn *Connection) Call(ctx context.Context, tool string, args, out any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	boxes := conn.Invoker()
	raw, err := boxes.Invoke(ctx, conn.newCall(tool, b))
	if e := schemas.AsError(err); e != nil && e.Field == schemas.PersonField && conn.By.Proof == "" {
		if conn.By.Proof, err = conn.App.ConfirmPerson(ctx, e); err != nil {
			return nil, err
		}
		raw, err = boxes.Invoke(ctx, conn.newCall(tool, b))
		conn.By.Proof = "" // a person confirms each call
	}
	if conn.SessionErr != nil && isNameMissingError(err) {
		err = conn.SessionErr
	}
	if err != nil || out == nil {
		return raw, err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, schemas.InternalError(err)
	}
	return raw, nil
}

// Invoker returns an invoker for calls from this process. It adds data that only this process can read: declarations of
// agents in files, and files of the project to which calls refer.
func (conn *Connection) Invoker() tools.Invoker {
	if conn.invoker == nil {
		dir, _ := conn.App.WorkspaceConfig().FilesDir() // empty for no project
		var boxes tools.Invoker = conn.App.Declarer(cmp.Or[tools.Invoker](conn.empty, conn.Boxes))
		if checks, err := conn.App.Checks(dir); err == nil {
			boxes = &checking.CompletionChecker{Invoker: boxes, ProjectChecks: checks} // they end with this process
		}
		conn.invoker = &project.Invoker{Invoker: boxes, Dir: dir, Patience: project.LongPatience}
	}
	return conn.invoker
}

// newCall makes a call of a tool with a new id.
func (conn *Connection) newCall(tool string, args json.RawMessage) tools.Call {
	id := tools.NewRequestID(conn.App.Now(), rand.Reader)
	if conn.App.ClientsSetUp != nil && conn.By.Clients == nil {
		conn.By.Clients = conn.App.ClientsSetUp(conn.App)
	}
	return tools.Call{ID: id, Caller: conn.By, Tool: tool, Args: args, Since: conn.part.since, Until: conn.part.until}
}

// Call opens the workspace for one call of a tool, and returns the decoded result and its JSON. The caller is
// [App.ReadingCaller] for a tool that only reads, and [App.Caller] for other tools.
func Call[Out any](ctx context.Context, a *App, tool string, args any) (out Out, raw json.RawMessage, err error) {
	by, err := a.Caller(needsNamedCaller(tool))
	if err == nil && isReadingTool(tool) {
		by, err = a.ReadingCaller(false)
	}
	if err != nil {
		return out, nil, err
	}
	err = a.ConnectForTool(ctx, by, tool, func(conn *Connection) error {
		raw, err = conn.Call(ctx, tool, args, &out)
		return err
	})
	return out, raw, err
}

// ConnectAsCaller opens the workspace while fn runs. It connects as the caller that [App.Caller] returns for this tool.
func (a *App) ConnectAsCaller(ctx context.Context, tool string, fn func(*Connection) error) error {
	by, err := a.Caller(needsNamedCaller(tool))
	if err != nil {
		return err
	}
	return a.ConnectForTool(ctx, by, tool, fn)
}

// needsNamedCaller reports whether a tool needs a caller with a name. It is false for an unknown tool, which the call
// refuses later.
func needsNamedCaller(tool string) bool {
	t, err := tools.FindTool(tool)
	return err == nil && !t.ReadOnly && !t.Admin
}

const (
	longestWait = schemas.MaxWait * time.Second // longest wait of one call
	pauseBroken = time.Second
)

// waitPart is the part of a wait that one call covers. The field since is the time at which the whole wait began. All
// calls of a wait carry this time, so that the caller keeps its rank among the waiting agents. The zero value belongs
// to a call that does not wait.
type waitPart struct{ since, until time.Time }

// nextWaitPart returns the part of a wait that begins now. It is at most longestWait long.
func nextWaitPart(now, since, end time.Time) waitPart {
	return waitPart{since, now.Add(min(end.Sub(now), longestWait))}
}

// waitArguments returns the argument wait_seconds for a call that is made now. If the part has ended, it returns no
// argument.
func (p waitPart) waitArguments(now time.Time) Arguments {
	left := p.until.Sub(now)
	if left <= 0 {
		return Arguments{}
	}
	return Arguments{"wait_seconds": int((left + time.Second - 1) / time.Second)}
}

// RepeatUntilDone repeats a call until the call reports done, the call fails, or limit is over. It makes at least one
// call. Each call gets arguments with the number of seconds that it may wait. If the store is unavailable,
// RepeatUntilDone tries again after a pause.
func (conn *Connection) RepeatUntilDone(ctx context.Context, limit time.Duration, call func(Arguments) (done bool, err error)) error {
	defer func() { conn.part = waitPart{} }()
	since := conn.App.Now()
	end := since.Add(limit)
	for {
		now := conn.App.Now()
		conn.part = nextWaitPart(now, since, end)
		done, err := call(conn.part.waitArguments(now))
		switch {
		case ctx.Err() != nil && !done:
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case done || err != nil && !IsUnavailable(err) || !conn.App.Now().Before(end):
			return err
		case err != nil:
			platform.Sleep(ctx, pauseBroken)
		}
	}
}

// CallUntil opens the workspace and repeats a call until the result fulfils the condition `is`, or until limit is over.
// It makes at least one call. It returns the last result, decoded and as JSON.
func CallUntil[Out any](
	ctx context.Context, a *App, limit time.Duration, tool string, args Arguments, is func(Out) bool,
) (out Out, raw json.RawMessage, err error) {
	err = a.ConnectAsCaller(ctx, tool, func(conn *Connection) error {
		return conn.RepeatUntilDone(ctx, limit, func(now Arguments) (done bool, err error) {
			maps.Copy(now, args)
			out = *new(Out)
			raw, err = conn.Call(ctx, tool, now, &out)
			return err == nil && is(out), err
		})
	})
	return out, raw, err
}

// RunInterruptible returns the result of fn, or the error of ctx if ctx is done first. After the error of ctx, fn
// continues in its goroutine, perhaps forever, for example if it waits for input. So a caller must end the process soon
// after this error.
func RunInterruptible[T any](ctx context.Context, fn func() (T, error)) (T, error) {
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

// IsUnavailable reports whether a call failed because the store was not available. The caller may repeat such a call.
func IsUnavailable(err error) bool {
	e, ok := errors.AsType[*schemas.Error](err)
	return ok && e.Code == schemas.Unavailable
}

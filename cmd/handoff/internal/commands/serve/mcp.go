package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/checking"
	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/journal"
	"handoff/cmd/handoff/internal/project"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/platform"
)

func mcpCommand(a *cli.App) *cobra.Command {
	var own schemas.RegisterIn
	cmd := &cobra.Command{
		Use:  "mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return serveClient(cmd.Context(), a, own) },
	}
	cmd.Flags().StringVar(&own.Role, "role", "", "the role of the agent, such as testing; the server registers it")
	cmd.Flags().StringSliceVar(&own.Accepts, "accepts", nil, "accepted work types: code,test_request; * for any")
	cmd.Flags().StringSliceVar(&own.Skills, "skills", nil, "python,mcp")
	a.DefineAgentsFlag(cmd.Flags())
	a.Limits.DefineFlags(cmd.Flags())
	return cmd
}

// drainTimeout is the time that running calls have to finish after the client is gone. The remaining part of
// [platform.DrainLimit] is reserved for closing the store.
const drainTimeout = platform.DrainLimit - 1500*time.Millisecond

// serveClient runs a server for one client. It takes control of the signals first. It returns when the server has
// released its last lock.
func serveClient(ctx context.Context, a *cli.App, own schemas.RegisterIn) (err error) {
	ctx, life := platform.BeginLife(ctx, a.Exit)
	defer life.End()
	client := platform.LauncherPID()
	life.FollowParent(os.Getppid)
	platform.LeaveGroup(a.Stdin, a.IsTerminal)
	platform.SetMemoryLimit(false)
	input, back := platform.PollInput(a.Stdin, a.Stdout, a.Stderr)
	defer back()
	stderr := journal.NewDroppingWriter(a.Stderr)
	defer stderr.Close()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	by, err := identity.ServerCaller(a.Agent, a.Getenv)
	if err != nil {
		return err
	}
	if err := checkRegistration(own); err != nil {
		return err
	}
	by.Conn = "conn_" + rand.Text()
	served := &clientProject{app: a, close: func() error { return nil }, open: func(a *cli.App, ws workspace.Workspace, files string) (tools.Invoker, func() error, error) {
		return openForClient(ctx, a, ws, files, own, log)
	}}
	defer func() { err = errors.Join(err, served.close()) }()
	if _, err := served.connect(); schemas.AsError(err) != nil && schemas.AsError(err).Code != schemas.Unavailable {
		return err
	} else if err != nil {
		log.WarnContext(ctx, "calls will fail", slog.Any("error", err))
	}
	if a.IsTerminal(a.Stdin) {
		log.InfoContext(ctx, "this speaks with an MCP client, not with people: Ctrl-D ends it")
	}
	server := mcp.New(mcp.Config{
		Invoker: served, Caller: by, Name: defaultAgentName,
		Session:      func(agent schemas.Agent) string { return identity.SessionID(agent, a.Getenv) },
		Process:      func(agent schemas.Agent) string { return identity.ParentClientProcess(agent, os.Getppid()) },
		Parent:       platform.ProcessID(client),
		NewRequestID: newRequestIDs(a), Now: a.Now,
		Version: a.Release.Version, Workspace: served.describe, UseRoots: served.useRoots, Drain: drainTimeout, Logger: log,
		MayAskPerson: a.AllowsForms, Extension: a.Extension,
	})
	if err := server.ServeStdio(ctx, life.WatchInput(input), life.WatchOutput(a.Stdout)); err != nil {
		return schemas.Errorf(schemas.Internal, "serve: %w", err)
	}
	return nil
}

// openForClient opens a workspace for the client of this server. Calls may attach the files in dir. It returns the way
// of the client's calls, and a function that closes the workspace.
func openForClient(
	ctx context.Context, a *cli.App, ws workspace.Workspace, dir string, own schemas.RegisterIn, log *slog.Logger,
) (tools.Invoker, func() error, error) {
	checks, err := a.Checks(dir)
	if err != nil {
		return nil, nil, err
	}
	declaring := a.Declarer(nil)
	declaring.Own = own
	declaring.StartReading()
	boxes, closeWorkspace, err := a.KeepWorkspaceOpen(ctx, ws, cli.OpenOptions{Logger: log, Stays: true})
	if err != nil {
		return nil, nil, err
	}
	endTracing, err := startTracing(ctx, a, ws, boxes, log)
	if err != nil { // other programs may own the variable: the client gets its server
		log.WarnContext(ctx, "no traces are sent", slog.Any("cause", err))
	}
	declaring.Invoker = boxes
	checked := &checking.CompletionChecker{Invoker: declaring, ProjectChecks: checks, Patience: checksTimeout}
	return &project.Invoker{Invoker: checked, Dir: dir}, func() error {
		checked.Stop()
		endTracing()
		return closeWorkspace()
	}, nil
}

// checksTimeout is the time for which a completion waits for its checks. It is below one minute, because clients wait
// one minute for the result of a call.
const checksTimeout = schemas.MaxWait * time.Second

// checkRegistration refuses values that the agent could not register later.
func checkRegistration(own schemas.RegisterIn) error {
	for flag, words := range map[string][]string{"--role": {own.Role}, "--accepts": own.Accepts, "--skills": own.Skills} {
		for _, word := range words {
			if !schemas.IsValidName(word) && (flag != "--role" || word != "") && (flag != "--accepts" || word != "*") {
				return schemas.Invalidf(flag, "%q is not a word", schemas.EscapeHidden(word)).
					WithHint("Write 1 to 64 of A-Z a-z 0-9 . _ -, with commas between words: code,test_request.")
			}
		}
	}
	return nil
}

// defaultAgentName returns the default agent name for a client. If handoff knows the client, the result is the client's
// name on handoff's command line. Otherwise it is the name that the client gave.
func defaultAgentName(client string) schemas.Agent {
	if agent, ok := identity.AgentOfClient(client); ok {
		return agent
	}
	return mcp.AgentNameOf(client)
}

// newRequestIDs returns a function that makes a new id at each call.
func newRequestIDs(a *cli.App) func() string {
	return func() string { return tools.NewRequestID(a.Now(), rand.Reader) }
}

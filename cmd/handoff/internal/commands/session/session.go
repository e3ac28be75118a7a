// Package session has the commands that the hooks of a client run for a client session. The command "hook" shows the
// session its news, which are new handoffs, notices and answers. The command "wait --hook" wakes the session when work
// arrives. The command "prime" prints the news at the start of a session.
//
// The mailbox decides which news a session gets, and delivers each item once; see [schemas.NewsIn]. This package puts
// the news into words, in the form that the client reads. It quotes all texts that agents wrote, and calls them data.
//
// A hook never disturbs its client. [SilenceHookError] hides its errors, and a hook abandons a slow call. A hook always
// ends with status 0, because status 2 would block the client or wake its session. In a project without a store, a hook
// prints nothing and creates no store. If a session wants to stop, the hook objects once for each handoff that the
// session holds, but at most three times in a row.
//
// A hook finds its session by the client's report and by facts that the client gives. Claude Code names its process to
// shells and hooks. Codex names its thread to its server with each call. Gemini CLI names nothing, so the hook looks
// for a parent process that also started a server. A hook that finds no session prints nothing.
//
// The message that wakes a session of Codex contains only the id of the handoff. Codex takes the message as an argument
// of a command, and every user of the machine can read arguments. The session reads the brief when it claims the
// handoff. Claude Code gets the brief on standard error.
package session

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools/platform"
	"handoff/tools/relay"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily].
//
//go:embed help_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts, hookCommand(a), primeCommand(a))
}

func primeCommand(a *cli.App) *cobra.Command {
	files := false
	cmd := &cobra.Command{
		Use: "prime",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files {
				return a.Write(filesSnippet)
			}
			return printStartNews(cmd.Context(), a)
		},
	}
	cmd.Flags().BoolVar(&files, "files", false, "print the instructions for agents that only write files")
	return cmd
}

func printStartNews(ctx context.Context, a *cli.App) error {
	by, err := a.Caller(true)
	if err != nil {
		return err
	}
	ws, err := workspace.Find(a.WorkspaceConfig())
	if err != nil {
		return err
	}
	out := schemas.NewsOut{Agent: by.Agent}
	if ws.HasStore() { // reading creates no store
		err = a.Connect(ctx, by, func(conn *cli.Connection) error {
			if conn.SessionErr != nil {
				return conn.SessionErr
			}
			if out, err = requestNews(ctx, conn, schemas.NewsIn{On: schemas.OnLook, Session: by.AgentID}); err == nil {
				out.NeedYou, err = conn.CountConcerns(ctx)
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return a.PrintValue(out, func(p *cli.Page) { p.WriteString(startText(out, ws.Name)) })
}

// A clientSession is a client session whose client runs this command.
type clientSession struct {
	*cli.App
	by        schemas.Caller // without a name, unless the command line or the environment has one
	request   schemas.NewsIn
	workspace workspace.Workspace
}

var (
	errNoClient = errors.New("nothing tells which client this is: give --client")
	errUnused   = errors.New("nobody has used handoff here")
)

// readReport reads the client's report of an event. It returns an error when ctx is done, because a client may leave
// the pipe open.
func readReport(ctx context.Context, a *cli.App) (hookReport, error) {
	return cli.RunInterruptible(ctx, func() (hookReport, error) { return parseReport(a.Stdin) })
}

// findSession returns the session that a client's report describes, together with the completed request to the mailbox.
// It creates no workspace.
func findSession(a *cli.App, report hookReport, client string, asked schemas.NewsIn) (s clientSession, err error) {
	if asked, err = addIdentity(a, report, client, asked); err != nil {
		return s, err
	}
	s = clientSession{App: a, by: schemas.Caller{Via: schemas.ViaCLI, AgentID: asked.Session}, request: asked}
	if a.Agent != "" {
		if s.by, err = s.by.WithName(a.Agent); err != nil {
			return s, err
		}
	}
	if filepath.IsAbs(report.Dir) {
		there := *a
		there.Cwd = report.Dir
		s.App = &there
	}
	if s.workspace, err = workspace.Find(s.WorkspaceConfig()); err != nil {
		return s, err
	}
	if !s.workspace.HasStore() {
		return s, errUnused
	}
	return s, nil
}

// addIdentity adds to a request the facts that identify the session. The facts come from the client's report and from
// the environment.
func addIdentity(a *cli.App, report hookReport, client string, asked schemas.NewsIn) (schemas.NewsIn, error) {
	around, err := identity.CommandCaller("", a.Getenv, false)
	if err != nil {
		return asked, err
	}
	asked.Client = report.reportingClient(client, around.Agent)
	if asked.Client == "" && a.Agent == "" {
		return asked, errNoClient
	}
	asked.Session = cmp.Or(asked.Session, identity.SessionID(asked.Client, a.Getenv))
	asked.Process = identity.ClientProcess(asked.Client, a.Getenv)
	asked.Follows = asked.Process != "" // a client that names itself to shells names itself to the server
	if asked.Ancestors == nil {
		asked.Ancestors = platform.AncestorIDs()
	}
	return asked, nil
}

// openWorkspace opens the workspace while fn runs. It discards the log, because neither the client nor the person needs
// it.
func (s clientSession) openWorkspace(ctx context.Context, fn func(*cli.Connection) error) error {
	return s.OpenWorkspace(ctx, s.workspace, cli.OpenOptions{Logger: slog.New(slog.DiscardHandler)}, func(boxes *relay.Relay) error {
		return fn(&cli.Connection{Boxes: boxes, By: s.by, App: s.App})
	})
}

func requestNews(ctx context.Context, conn *cli.Connection, asked schemas.NewsIn) (out schemas.NewsOut, err error) {
	_, err = conn.Call(ctx, "session_news", asked, &out)
	return out, err
}

// reportUndelivered tells the mailbox that the session did not receive its news, if err is not nil. The mailbox then
// delivers the news again.
func reportUndelivered(ctx context.Context, conn *cli.Connection, err error, asked schemas.NewsIn, out schemas.NewsOut) error {
	if _, woken := errors.AsType[cli.ExitStatus](err); err == nil || woken || out.Marked == nil {
		return err
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), hookGrace)
	defer end()
	conn.By.Agent = out.Agent
	back := schemas.NewsIn{On: schemas.OnUndelivered, Session: asked.Session, Undelivered: out.Marked}
	_, failed := requestNews(ctx, conn, back)
	return errors.Join(err, failed)
}

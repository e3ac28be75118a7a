// Package session has the commands that the hooks of a client run for a client session. Hook delivers its news, wait
// --hook wakes it when work arrives, and prime prints the news of its start.
//
// A hook never disturbs its client: [Silence] hides its errors, and it abandons a slow call.
//
// The mailbox decides about the news of a session, and delivers each item once; see [schemas.NewsIn]. This package
// writes the news in words, in the form that the client reads. It quotes all texts that agents wrote, and calls them
// data.
//
// A hook always ends with status 0, because 2 would block or wake a client. In a project without a store it prints
// nothing, and creates no store. The stop hook gives up by itself: it objects once for each handoff, and at most three
// times in a row.
//
// A hook finds its session by its client's report. Claude Code names its process to shells and hooks. Codex names its
// thread to its server with each call. Gemini CLI names nothing: there the hook looks for a parent process that also
// started a server. A hook that finds no session prints nothing.
//
// The line that wakes Codex contains nothing but the id of the handoff. codex queue takes its text as an argument, and
// every user of a machine can read arguments; the claim shows the brief. Claude Code reads the brief on standard error.
package session

import (
	"cmp"
	"context"
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

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{hookCommand(a), primeCommand(a)}
}

func primeCommand(a *cli.App) *cobra.Command {
	files := false
	cmd := &cobra.Command{
		Use:   "prime",
		Short: "Print the text that a session gets at its start",
		Example: `  handoff prime                       # in the shell of an agent
  handoff prime --agent qa
  handoff prime --files >>AGENTS.md   # for agents that only write files
  handoff exec send qa "Go on" --agent dev -- my-agent   # runs one of them, and sends its file`,
		Long: `Prints your name, the other agents, your held handoffs and your waiting handoffs, for people and for
clients without hooks. It marks nothing as told or read.

With --files it prints instructions for an agent that has neither MCP nor this program, and writes its results to a
file. Put them into a prompt or into AGENTS.md. "handoff exec" reads this file, and so does "handoff capture" after
the agent has ended.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files {
				return a.Write(filesSnippet)
			}
			return prime(cmd.Context(), a)
		},
	}
	cmd.Flags().BoolVar(&files, "files", false, "print the instructions for agents that only write files")
	return cmd
}

func prime(ctx context.Context, a *cli.App) error {
	by, err := a.Caller(true)
	if err != nil {
		return err
	}
	ws, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	out := schemas.NewsOut{Agent: by.Agent}
	if ws.Used() { // reading creates no store
		err = a.Connect(ctx, by, func(conn *cli.Connection) error {
			if conn.SessionErr != nil {
				return conn.SessionErr
			}
			if out, err = askNews(ctx, conn, schemas.NewsIn{On: schemas.OnLook, Session: by.AgentID}); err == nil {
				out.NeedYou, err = conn.NeedYou(ctx)
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

// readReport reads the client's report of an event. The client may leave its end of the pipe open.
func readReport(ctx context.Context, a *cli.App) (hookReport, error) {
	return cli.RunInterruptible(ctx, func() (hookReport, error) { return parseReport(a.Stdin) })
}

// sessionOf returns the session that a client reports about, with the request to the mailbox. It creates no workspace.
func sessionOf(a *cli.App, report hookReport, client string, asked schemas.NewsIn) (s clientSession, err error) {
	if asked, err = addIdentity(a, report, client, asked); err != nil {
		return s, err
	}
	s = clientSession{App: a, by: schemas.Caller{Via: schemas.ViaCLI, AgentID: asked.Session}, request: asked}
	if a.Agent != "" {
		if s.by, err = s.by.As(a.Agent); err != nil {
			return s, err
		}
	}
	if filepath.IsAbs(report.Dir) {
		there := *a
		there.Cwd = report.Dir
		s.App = &there
	}
	if s.workspace, err = workspace.Find(s.Location()); err != nil {
		return s, err
	}
	if !s.workspace.Used() {
		return s, errUnused
	}
	return s, nil
}

// addIdentity adds all facts to a request that identify the session: the client's report and the environment.
func addIdentity(a *cli.App, report hookReport, client string, asked schemas.NewsIn) (schemas.NewsIn, error) {
	around, err := identity.Caller("", a.Getenv, false)
	if err != nil {
		return asked, err
	}
	asked.Client = report.client(client, around.Agent)
	if asked.Client == "" && a.Agent == "" {
		return asked, errNoClient
	}
	asked.Session = cmp.Or(asked.Session, identity.Session(asked.Client, a.Getenv))
	asked.Process = identity.Process(asked.Client, a.Getenv)
	asked.Follows = asked.Process != "" // a client that names itself to shells names itself to the server
	if asked.Ancestors == nil {
		asked.Ancestors = platform.Ancestors()
	}
	return asked, nil
}

// openWorkspace opens the workspace while fn runs. It discards the log, as the client does not need it.
func (s clientSession) openWorkspace(ctx context.Context, fn func(*cli.Connection) error) error {
	return s.OpenAt(ctx, s.workspace, cli.Opening{Logger: slog.New(slog.DiscardHandler)}, func(boxes *relay.Relay) error {
		return fn(&cli.Connection{Boxes: boxes, By: s.by, App: s.App})
	})
}

func askNews(ctx context.Context, conn *cli.Connection, asked schemas.NewsIn) (out schemas.NewsOut, err error) {
	_, err = conn.Call(ctx, "session_news", asked, &out)
	return out, err
}

// takeBack tells the mailbox that the session did not receive its news, if err says so.
func takeBack(ctx context.Context, conn *cli.Connection, err error, asked schemas.NewsIn, out schemas.NewsOut) error {
	if _, woken := errors.AsType[cli.Exit](err); err == nil || woken || out.Marked == nil {
		return err
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), hookGrace)
	defer end()
	conn.By.Agent = out.Agent
	back := schemas.NewsIn{On: schemas.OnUndelivered, Session: asked.Session, Undelivered: out.Marked}
	_, failed := askNews(ctx, conn, back)
	return errors.Join(err, failed)
}

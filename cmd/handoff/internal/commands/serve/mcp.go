package serve

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/process"
	"handoff/cmd/handoff/internal/project"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/relay"
)

func mcpCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one MCP client over standard input and output",
		Example: `  claude mcp add handoff -- handoff mcp
  codex mcp add handoff -- handoff mcp
  handoff mcp --agent reviewer --lease 30m      # as a client starts it`,
		Long: `The agent is --agent, else the name of the client: claude-code, codex, gemini-cli; the second session of a
client at the same time is claude-code-2, and so on. A session that worked keeps its number for a week. The
server ends when its client does.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveClient(cmd.Context(), a) },
	}
	a.Limits.Bind(cmd.Flags())
	return cmd
}

// answering is how long calls in flight may take once the client is gone; the rest of [process.Limit] is for
// closing the store.
const answering = process.Limit - 1500*time.Millisecond

// serveClient is the life of a server, from the first signal that is ignored to the lock that is let go of last.
func serveClient(ctx context.Context, a *cli.App) error {
	ctx, life := process.Begin(ctx, a.Exit)
	defer life.End()
	client := os.Getppid()
	life.Follow(os.Getppid)
	process.LeaveGroup(a.Stdin, a.IsTerminal)
	process.SpendMemory(false)
	stderr := process.NewDropping(a.Stderr)
	defer stderr.Close()
	log := slog.New(slog.NewTextHandler(stderr, nil))
	by, err := identity.Server(a.Agent, a.Getenv)
	if err != nil {
		return err
	}
	dir, err := a.Location().FilesDir()
	if err != nil {
		return err
	}
	by.Conn = "conn_" + rand.Text()
	opening := cli.Opening{Logger: log, Stays: true, Crowded: process.SpendMemory}
	return a.Open(ctx, opening, func(place workspace.Workspace, boxes *relay.Relay) error {
		if a.IsTerminal(a.Stdin) {
			log.InfoContext(ctx, "this speaks with an MCP client, not with people: Ctrl-D ends it")
		}
		traces, end, err := trace(ctx, a, place, boxes, log)
		if err != nil { // the variable may be meant for other programs: the client gets its server
			log.WarnContext(ctx, "no traces are sent", slog.Any("cause", err))
		}
		defer end()
		server := mcp.New(mcp.Config{
			Invoker: project.Files{Invoker: traces.Invoker(boxes), Dir: dir}, Caller: by, Name: agentOf,
			Session:      func(agent schemas.Agent) string { return identity.Session(agent, a.Getenv) },
			Process:      func(agent schemas.Agent) string { return identity.ProcessOver(agent, client) },
			Parent:       client,
			NewRequestID: requestIDs(a),
			Version:      a.Release.Version, Workspace: place.Name, Drain: answering, Logger: log,
		})
		if err := server.ServeStdio(ctx, life.Input(a.Stdin), life.Output(a.Stdout)); err != nil {
			return schemas.Errorf(schemas.Internal, "serve: %w", err)
		}
		return nil
	})
}

// agentOf gives a client that is known under another name on the command line the same name here.
func agentOf(client string) schemas.Agent {
	if agent, ok := identity.OfClient(client); ok {
		return agent
	}
	return mcp.AgentOf(client)
}

// requestIDs gives a new id at each call.
func requestIDs(a *cli.App) func() string {
	return func() string { return tools.NewRequestID(a.Now(), rand.Reader) }
}

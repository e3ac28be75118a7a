// Package session has the commands that the hooks of a client run for a session: hook tells it its news, wait --hook
// wakes it when work arrives, and prime prints what it is told at its start.
//
// A hook never disturbs its client: what goes wrong is [Silenced], and whatever takes too long is left behind. What a
// session is told, and in which form its client takes it, is in package delivery.
package session

import (
	"context"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commands/session/delivery"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{hookCommand(a), primeCommand(a)}
}

func primeCommand(a *cli.App) *cobra.Command {
	files := false
	cmd := &cobra.Command{
		Use:   "prime",
		Short: "Print what a session is told at its start",
		Example: `  handoff prime                       # in the shell of an agent
  handoff prime --agent qa
  handoff prime --files >>AGENTS.md   # for agents that only write files
  handoff exec send qa "Go on" --agent dev -- my-agent   # runs one of them, and sends what it wrote`,
		Long: `Who you are, who else is here, what you hold and what waits, for people and for clients without hooks. Nothing
counts as told or read by it.

With --files it prints instead what to put into a prompt or into AGENTS.md for an agent that has neither MCP nor
this program, and hands its work on in a file. "handoff exec" collects that file, or "handoff capture" after the agent
has ended.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files {
				return a.Write(delivery.Files)
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
	place, err := workspace.Find(a.Location())
	if err != nil {
		return err
	}
	out := schemas.NewsOut{Agent: by.Agent}
	if place.Used() { // where nobody used handoff, a look makes no store
		err = a.Connect(ctx, by, func(conn *cli.Connection) error {
			if conn.Unnamed != nil {
				return conn.Unnamed
			}
			_, err := conn.Call(ctx, "session_news", schemas.NewsIn{On: schemas.OnLook, Session: by.AgentID}, &out)
			if err == nil {
				out.NeedYou, err = conn.NeedYou(ctx)
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return a.PrintValue(out, func(p *cli.Page) { p.WriteString(delivery.Start(out, place.Name)) })
}

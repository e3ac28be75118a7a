package look

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// NeedsYou is the exit status that says that something needs a person.
const NeedsYou = 8

// glance is how status was asked for.
type glance struct {
	limit        int
	watch, quiet bool
}

func statusCommand(a *cli.App) *cobra.Command {
	var g glance
	cmd := &cobra.Command{
		Use:   "status",
		Short: "What needs you, what runs, and what is stuck",
		Example: `  handoff status
  handoff status --watch             # stays on the screen
  handoff status --quiet || echo "handoff: something needs you"
  handoff status --json | jq -r '.needs_you.items[].handoff_id'`,
		Long: `What needs a person comes first: questions, approvals, failures with which nobody goes on, and work for human,
each with the command that goes on with it. Then what agents are at work on, with their last sign of life, and what
does not go on by itself, with the reason. Looking changes nothing, and what was read or not makes no difference.

Without a terminal each row is a line: part, kind, id, from, who has it, since, last sign of life, command, title
and reason. With --json: {"needs_you": {"items": [...], "total": 2}, "running": ..., "stuck": ..., "counts": ...}.

Exit status: 0 nothing needs you, 8 something does, others as usual.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if g.limit < 0 || g.limit > mostGlanced {
				return schemas.Invalidf("--limit", "%d is not from 1 to %d", g.limit, mostGlanced)
			}
			return g.show(cmd.Context(), a)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&g.watch, "watch", "w", false, "show it again when it changes, until Ctrl-C")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing: the exit status tells whether something needs you")
	flags.IntVarP(&g.limit, "limit", "n", 0, "rows of each part (default: a few on a terminal, else 20)")
	cmd.MarkFlagsMutuallyExclusive("watch", "quiet")
	return cmd
}

const (
	mostGlanced = 200             // rows of a part that may be asked for
	onScreen    = 6               // rows of a part, so that all of it is on one screen
	glanceEvery = 2 * time.Second // while it is watched
)

// Status shows what is going on in the workspace, once. Whether something needs somebody makes no difference to its error.
func Status(ctx context.Context, a *cli.App) error {
	err := glance{}.show(ctx, a)
	if err == cli.Exit(NeedsYou) { //nolint:errorlint // it is ours, and never wrapped
		return nil
	}
	return err
}

// show looks once, or until it is interrupted.
func (g glance) show(ctx context.Context, a *cli.App) error {
	if g.limit == 0 && a.Style().Terminal && !a.JSON {
		g.limit = onScreen
	}
	return a.Look(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) error {
		before := ""
		for {
			var out schemas.OverviewOut
			raw, err := conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: g.limit}, &out)
			switch {
			case g.watch && ctx.Err() != nil:
				return cli.Exit(interrupted)
			case err != nil:
				return err
			case !g.quiet:
				if before, err = g.print(a, raw, out, before); err != nil {
					return err
				}
			}
			switch {
			case g.watch:
				cli.Sleep(ctx, glanceEvery)
			case out.NeedsYou.Total > 0:
				return cli.Exit(NeedsYou)
			default:
				return nil
			}
		}
	})
}

// interrupted is the status of a command that a signal ended while it watched.
const interrupted = 130

// print prints an overview, unless what is watched is as it was before. It gives what to compare the next one with.
func (g glance) print(a *cli.App, raw json.RawMessage, out schemas.OverviewOut, before string) (string, error) {
	screen := g.watch && a.Style().Terminal && !a.JSON
	if !screen {
		at := out.At
		out.At = time.Time{} // which is all that is new where nothing is
		b, err := json.Marshal(out)
		if err != nil || g.watch && string(b) == before {
			return before, err
		}
		out.At = at
		return string(b), a.Print(raw, func(p *cli.Page) { printOverview(p, a, out) })
	}
	p := &cli.Page{Style: a.Style()}
	printOverview(p, a, out)
	p.Line("\n%s", p.Faint("Ctrl-C ends it."))
	if p.String() == before {
		return before, nil
	}
	const home, rest, below = "\x1b[H", "\x1b[K", "\x1b[J" // the cursor goes up, and what was there is wiped out
	return p.String(), a.Write(home + strings.ReplaceAll(p.String(), "\n", rest+"\n") + below)
}

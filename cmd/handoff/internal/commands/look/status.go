package look

import (
	"context"
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
	mostGlanced = 200 // rows of a part that may be asked for
	onScreen    = 6   // rows of a part, so that all of it is on one screen
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
	needs := 0
	look := func() (s sight, err error) {
		err = a.Look(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) error {
			var out schemas.OverviewOut
			s.raw, err = conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: g.limit}, &out)
			needs, s.draw = out.NeedsYou.Total, func(p *cli.Page) { printOverview(p, a, out) }
			timeless := out
			timeless.At = time.Time{}
			s.facts = timeless
			return err
		})
		return s, err
	}
	if g.watch {
		return stay(ctx, a, look)
	}
	s, err := look()
	if err == nil && !g.quiet {
		err = a.Print(s.raw, s.draw)
	}
	if err == nil && needs > 0 {
		err = cli.Exit(NeedsYou)
	}
	return err
}

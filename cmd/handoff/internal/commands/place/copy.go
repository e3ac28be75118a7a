package place

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
)

func copyCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "copy {--to URL | --from URL | --undo}",
		Short: "Move a workspace from the files of this machine to a database, or back",
		Example: `  handoff workspace copy --to 'postgres://handoff_rows@db.example.com/handoff?sslmode=verify-full'
  handoff workspace copy --to postgres://… --workspace shop-41f0c2b7d9aa
  handoff workspace copy --from postgres://…`,
		Long: `Copies the workspace of the project, or that of --workspace, with everything in it and the audit registry. Its
name is the same in both places, so HANDOFF_STORE is all that tells them apart: clients that have it in their
environment go on in the database, and the others in the files.

One of both is used at a time. From the moment at which the copy is whole, whoever opens the old one is refused and
told where the new one is. The old one stays as it was. --undo has it used again, without what was done in the copy
since then: where the copy is a backup, or the database was lost. HANDOFF_STORE says which of both is meant.

Refused while a process has either of them open, and where something was sent already or a token made. A copy that
was interrupted is refused to all until it is copied again. To copy back to files that were left, make room first
with handoff workspace remove. docs/postgres.md says how to make room in a database.`,
		Args: cobra.NoArgs,
	}
	to := cmd.Flags().String("to", "", "`URL` of the database to copy it to")
	from := cmd.Flags().String("from", "", "`URL` of the database to copy it from")
	undo := cmd.Flags().Bool("undo", false, "use again what was copied, and stayed as it was")
	cmd.MarkFlagsMutuallyExclusive("to", "from", "undo")
	cmd.MarkFlagsOneRequired("to", "from", "undo")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w, err := workspace.Find(a.Location())
		if err != nil {
			return err
		}
		c := copying{a, w, slog.New(slog.DiscardHandler)}
		switch {
		case *undo:
			return c.undo(cmd.Context())
		case *to != "":
			return c.in(cmd.Context(), *to)
		case *from != "":
			return c.out(cmd.Context(), *from)
		}
		return schemas.Invalidf("--to", "it is empty").WithHint("Give the URL of a database: postgres://USER@HOST:5432/DATABASE.")
	}
	return cmd
}

// copying is one run of the command.
type copying struct {
	*cli.App
	of  workspace.Workspace
	log *slog.Logger
}

func (c copying) in(ctx context.Context, address string) error {
	if !c.of.Used() {
		return missing(c.of, "on this machine")
	}
	return atDatabase(ctx, c.App, address, func(node *cluster.Node) error {
		return c.copy(ctx, node, node.String(), "From now on HANDOFF_STORE with the URL leads to it.", open.CopyIn)
	})
}

func (c copying) out(ctx context.Context, address string) error {
	return c.known(ctx, address, func(node *cluster.Node) error {
		return c.copy(ctx, node, c.of.Dir, "From now on it is reached without HANDOFF_STORE.", open.CopyOut)
	})
}

// known joins the nodes of a database that has the workspace, for as long as fn runs.
func (c copying) known(ctx context.Context, address string, fn func(*cluster.Node) error) error {
	return atDatabase(ctx, c.App, address, func(node *cluster.Node) error {
		known, err := node.Knows(ctx, c.of.Name)
		if err != nil {
			return err
		}
		if !known {
			return missing(c.of, "in "+node.String())
		}
		return fn(node)
	})
}

// way is one of those of package open.
type way func(context.Context, workspace.Workspace, *cluster.Node, *slog.Logger) (store.Copied, error)

func (c copying) copy(ctx context.Context, node *cluster.Node, to, next string, run way) error {
	var done store.Copied
	ctx, end := c.Progress(ctx, "copying workspace "+c.of.Name)
	err := locked(c.of, func() (err error) {
		done, err = run(ctx, c.of, node, c.log)
		return err
	})
	end()
	if err != nil {
		return err
	}
	said := map[string]any{"copied": c.of.Name, "to": to, "rows": done.Rows, "audit": done.Audit}
	return c.PrintValue(said, func(p *cli.Page) {
		p.Line("copied %s to %s: %d rows, with %d events", p.Bold(c.of.Name), to, done.Rows, done.Audit.Events)
		p.Line("root %s", done.Audit.Root)
		if !done.Audit.OK {
			p.Line("%s the registry had faults, and has the same now: handoff audit verify tells them", p.Red("warning:"))
		}
		p.Line("%s", p.Faint(next+" What it was copied from stays as it was, and is not used."))
	})
}

// undo has a workspace used again that was copied.
func (c copying) undo(ctx context.Context) error {
	reopen := func(b store.Backend) error { return open.Reopen(ctx, c.of.Name, b) }
	if err := ownStore(ctx, c.App, c.of, reopen); err != nil {
		return err
	}
	return c.PrintValue(map[string]any{"reopened": c.of.Name}, func(p *cli.Page) {
		p.Line("%s is used again, as it was when it was copied", p.Bold(c.of.Name))
	})
}

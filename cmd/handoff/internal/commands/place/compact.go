package place

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func compactCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "compact"}
	keep := cmd.Flags().String("keep", "", "remove texts of work that ended before this `time`, such as 180d")
	try := cmd.Flags().Bool("dry-run", false, "only list content that --keep would remove")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c := compaction{App: a, Try: *try}
		var err error
		if c.keep, err = parseRetention(a, cmd.Flags().Changed("keep"), *keep, *try); err != nil {
			return err
		}
		if c.workspace, err = workspace.Find(a.WorkspaceConfig()); err != nil {
			return err
		}
		return c.run(cmd.Context())
	}
	return cmd
}

// minRetention is the shortest time for which compact keeps the texts of ended handoffs. Agents may still read a
// handoff within a day of its end.
const minRetention = 24 * time.Hour

// parseRetention reads the retention of texts; zero means for ever.
func parseRetention(a *cli.App, given bool, keep string, try bool) (time.Duration, error) {
	kept, err := schemas.ParseDuration("keep", keep)
	switch {
	case given && (err != nil || kept < minRetention):
		return 0, schemas.Invalidf("keep", "%q is no time of a day or more", schemas.EscapeHidden(keep)).
			WithHint("Nothing was changed. Write a number of days, 3650 at most, as 180d.")
	case !given && try:
		return 0, schemas.Invalidf("dry-run", "--dry-run tells of what --keep would let go").WithHint("Write --keep 180d --dry-run.")
	case !given && a.UsesDatabase():
		return 0, schemas.Errorf(schemas.Invalid, "compact without --keep is for the files of this machine, and HANDOFF_STORE names a database").
			WithHint("Nothing was changed. PostgreSQL gives space back by itself: autovacuum does, and VACUUM at once.")
	}
	return kept, nil
}

// compaction is one run of the command, and its output.
type compaction struct {
	*cli.App `json:"-"`

	workspace workspace.Workspace
	keep      time.Duration

	Try       bool               `json:"dry_run,omitempty"`
	Compacted string             `json:"compacted,omitempty"` // the workspace, if it was compacted
	Before    int64              `json:"bytes_before,omitempty"`
	After     int64              `json:"bytes_after,omitempty"`
	Later     string             `json:"later,omitempty"` // why the file is as large as before, although texts were deleted
	Retained  *schemas.RetainOut `json:"let_go,omitempty"`
}

func (c *compaction) run(ctx context.Context) error {
	if !c.UsesDatabase() && !c.workspace.HasStore() {
		return errNoWorkspace(c.workspace, "on this machine")
	}
	if c.keep > 0 {
		if err := c.removeOldTexts(ctx); err != nil {
			return err
		}
	}
	var failed error
	if !c.Try && !c.UsesDatabase() {
		failed = c.shrinkFile(ctx)
	}
	switch e := schemas.AsError(failed); {
	case e != nil && c.Retained == nil:
		return failed
	case e != nil && e.Code == schemas.Conflict:
		c.Later, failed = e.Message, nil
	}
	return errors.Join(c.PrintValue(c, c.print), failed) // deleted texts do not come back, so the output reports them
}

func (c *compaction) removeOldTexts(ctx context.Context) error {
	defer c.ShowProgress("looking through workspace " + c.workspace.Name)()
	out, _, err := cli.Call[schemas.RetainOut](ctx, c.App, "store_retain", cli.Arguments{
		"before": c.Now().Add(-c.keep), "dry_run": c.Try,
	})
	c.Retained = &out
	if e := schemas.AsError(err); e != nil && e.Code == schemas.Unavailable && !c.Try {
		return schemas.Errorf(e.Code, "the retention was interrupted: %w", err).
			WithHint("Texts of some handoffs may be gone already. Call again for the rest.")
	}
	return err
}

func (c *compaction) shrinkFile(ctx context.Context) error {
	defer c.ShowProgress("compacting workspace " + c.workspace.Name)()
	return withStoreLock(c.workspace, func() error {
		done, err := open.Compact(ctx, c.workspace)
		if err == nil {
			c.Compacted, c.Before, c.After = c.workspace.Name, done.Before, done.After
		}
		return err
	})
}

func (c *compaction) print(p *cli.Page) {
	switch let := c.Retained; {
	case let == nil:
	case c.Try:
		p.AddLine("would let go of %s of texts of %s", formatSize(let.Bytes), schemas.CountNoun(let.Handoffs, "handoff"))
	default:
		p.AddLine("let go of %s of texts of %s", formatSize(let.Bytes), schemas.CountNoun(let.Handoffs, "handoff"))
	}
	if c.Retained != nil && c.Retained.Unread > 0 {
		p.AddLine("passed over %s that cannot be read: handoff check tells why", schemas.CountNoun(c.Retained.Unread, "handoff"))
	}
	switch {
	case c.Compacted != "" && c.After == c.Before:
		p.AddLine("%s has no space to give back: its file has %s", p.Bold(c.Compacted), formatSize(c.After))
	case c.Compacted != "":
		p.AddLine("compacted %s: %s, and it was %s", p.Bold(c.Compacted), formatSize(c.After), formatSize(c.Before))
	case c.Later != "":
		p.AddLine("%s; handoff compact makes its file smaller when nobody has it open", c.Later)
	}
}

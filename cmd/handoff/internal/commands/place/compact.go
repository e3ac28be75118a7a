package place

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

func compactCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Give back the disk space that the store no longer uses",
		Example: `  handoff compact
  handoff compact --workspace shop-41f0c2b7d9aa --json`,
		Long: `Writes everything into a new file, compares each row, and puts the new file in the place of the old one. It needs
as much free space again as the file takes. The old file stays beside the new one until that was opened. Refused
while a process has the workspace open. Nothing is removed: what was sent stays, and the registry with it.

A database gives space back by itself, while it runs: see autovacuum of PostgreSQL.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.InDatabase() {
				return schemas.Errorf(schemas.Invalid, "compact is for the files of this machine, and HANDOFF_STORE names a database").
					WithHint("Nothing was changed. PostgreSQL gives space back by itself: autovacuum does, and VACUUM at once.")
			}
			w, err := workspace.Find(a.Location())
			if err != nil {
				return err
			}
			if !w.Used() {
				return missing(w, "on this machine")
			}
			var before, after int64
			end := a.Busy("compacting workspace " + w.Name)
			err = locked(w, func() (err error) {
				before, after, err = open.Compact(cmd.Context(), w)
				return err
			})
			end()
			if err != nil {
				return err
			}
			said := map[string]any{"compacted": w.Name, "bytes_before": before, "bytes_after": after}
			return a.PrintValue(said, func(p *cli.Page) {
				p.Line("compacted %s: %s, and it was %s", p.Bold(w.Name), size(after), size(before))
			})
		},
	}
}

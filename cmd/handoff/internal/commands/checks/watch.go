package checks

import (
	"fmt"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commands/look"
	"handoff/mailbox/life"
	"handoff/schemas"
)

func watchCommand(a *cli.App) *cobra.Command {
	var since uint64
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Look at the checks of all work as it is completed",
		Example: `  handoff checks watch
  handoff checks watch --since 0    # also of what was completed before`,
		Long: `For a machine that has the checkout where others complete work without one, as over HTTP. It prints a line for each
handoff until Ctrl-C. What the process of the completer saw is not looked at again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := find(a)
			if err != nil {
				return err
			}
			return look.Follow(cmd.Context(), a, since, !cmd.Flags().Changed("since"), func(conn *cli.Connection, c schemas.Change) error {
				if c.Action != string(life.Complete) {
					return nil
				}
				seen, err := h.Later(cmd.Context(), conn.Invoker(), nobody, c.Handoff.String())
				p := &cli.Page{Style: a.Style()}
				if err != nil {
					p.Line("%s %s", p.Bold(c.Handoff.String()), schemas.AsError(err).Message)
				}
				for _, o := range seen.Observed {
					p.Line("%s %s", p.Bold(c.Handoff.String()), o)
				}
				for name, why := range seen.Unobserved {
					p.Line("%s %s: %s", p.Bold(c.Handoff.String()), schemas.Visible(name), why)
				}
				if seen.Unread != "" {
					p.Line("%s %s", p.Bold(c.Handoff.String()), seen.Unread)
				}
				_, err = fmt.Fprint(a.Stdout, p.String())
				return err
			})
		},
	}
	cmd.Flags().Uint64Var(&since, "since", 0, "begin after this event `number`; 0 for all there are (default: from now on)")
	return cmd
}

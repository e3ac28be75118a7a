package work

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func approveCommand(a *cli.App) *cobra.Command {
	return decision(a, schemas.ActApprove, &cobra.Command{
		Use:   "approve ID",
		Short: "Let a handoff go on that waits for approval",
		Example: `  handoff approve 12
  handoff approve 12 --reason "After the release"`,
		Long: "Only human may approve.",
	})
}

func refuseCommand(a *cli.App) *cobra.Command {
	return decision(a, schemas.ActRefuse, &cobra.Command{
		Use:     "refuse ID",
		Short:   "Reject a handoff that waits for approval",
		Example: `  handoff refuse 12 --reason "Not before the audit"`,
		Long:    "Only human may refuse.",
	})
}

func cancelCommand(a *cli.App) *cobra.Command {
	return decision(a, schemas.ActCancel, &cobra.Command{
		Use:     "cancel ID",
		Short:   "Cancel a handoff that is no longer needed",
		Example: `  handoff cancel 12 --reason "Done by hand"`,
		Long:    "The holder learns of it at its next call. Handoffs that followed from it are listed, not cancelled.",
	})
}

// decision completes a command that takes a handoff and a reason.
func decision(a *cli.App, action schemas.Action, cmd *cobra.Command) *cobra.Command {
	reason := cmd.Flags().String("reason", "", "why")
	silent := cmd.Flags().Bool("silent", false, "print the id only")
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args := cli.Arguments{"handoff_id": given[0], "action": action}
		if *reason != "" {
			args["note"] = *reason
		}
		return update(a, cmd, args, *silent)
	}
	a.Limits.BindHidden(cmd)
	return cmd
}

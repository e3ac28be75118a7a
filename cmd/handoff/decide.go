package main

import (
	"github.com/spf13/cobra"

	"handoff/schemas"
)

func (a *app) approveCommand() *cobra.Command {
	return a.decision(schemas.ActApprove, &cobra.Command{
		Use:   "approve ID",
		Short: "Let a handoff go on that waits for approval",
		Example: `  handoff approve 12
  handoff approve 12 --reason "After the release"`,
		Long: "Only human may approve.",
	})
}

func (a *app) refuseCommand() *cobra.Command {
	return a.decision(schemas.ActRefuse, &cobra.Command{
		Use:     "refuse ID",
		Short:   "Reject a handoff that waits for approval",
		Example: `  handoff refuse 12 --reason "Not before the audit"`,
		Long:    "Only human may refuse.",
	})
}

func (a *app) cancelCommand() *cobra.Command {
	return a.decision(schemas.ActCancel, &cobra.Command{
		Use:     "cancel ID",
		Short:   "Cancel a handoff that is no longer needed",
		Example: `  handoff cancel 12 --reason "Done by hand"`,
		Long:    "The holder learns of it at its next call. Handoffs that followed from it are listed, not cancelled.",
	})
}

// decision completes a command that takes a handoff and a reason.
func (a *app) decision(action schemas.Action, cmd *cobra.Command) *cobra.Command {
	reason := cmd.Flags().String("reason", "", "why")
	silent := cmd.Flags().Bool("silent", false, "print the id only")
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args := arguments{"handoff_id": given[0], "action": action}
		if *reason != "" {
			args["note"] = *reason
		}
		return a.update(cmd, args, *silent)
	}
	a.keeping.bindHidden(cmd)
	return cmd
}

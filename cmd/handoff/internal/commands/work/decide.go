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

func retryCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "retry ID",
		Short: "Run a failed handoff again, with what it left behind",
		Example: `  handoff retry 3
  handoff retry 3 --reason "The service is up again"`,
		Long: `A new handoff carries over the context, the partial progress and the checkpoint of one that failed, was
rejected, timed out or was cancelled. Repeating it gives the same new handoff.`,
		Args: cobra.ExactArgs(1),
	}
	reason := cmd.Flags().String("reason", "", "why now")
	silent := cmd.Flags().Bool("silent", false, "print the id of the new handoff only")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args := cli.Arguments{"handoff_id": given[0], "action": schemas.ActRetry}
		if *reason != "" {
			args["note"] = *reason
		}
		out, raw, err := cli.Call[schemas.UpdateOut](cmd.Context(), a, "update_handoff", args)
		if err != nil {
			return err
		}
		if *silent {
			return a.Write(out.Created.String() + "\n")
		}
		return a.PrintWithMail(raw, func(p *cli.Page) { printRetried(p, out) })
	}
	a.Limits.BindHidden(cmd)
	return cmd
}

func printRetried(p *cli.Page, out schemas.UpdateOut) {
	if out.To == "" { // which only a new one has
		p.Line("Handoff %s was retried before: %s, the same as before", out.HandoffID, p.Bold(out.Created.String()))
		p.Warn(out.Warnings)
		return
	}
	p.Line("Retrying handoff %s as %s", out.HandoffID, p.Bold(out.Created.String()))
	if out.Checkpoint != "" {
		p.Line("- Restoring checkpoint: %s", out.Checkpoint)
	}
	p.Line("- Re-initiating handoff to %s", schemas.Visible(string(out.To)))
	p.Line("- Context preserved from previous attempt")
	p.Warn(out.Warnings)
}

package work

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func approveCommand(a *cli.App) *cobra.Command {
	return act(schemas.ActApprove).Of(a, &cobra.Command{
		Use:   "approve ID",
		Short: "Let a handoff go on that waits for approval",
		Example: `  handoff approve 12
  handoff approve 12 --reason "After the release"`,
		Long: "Only human may approve.",
		Args: cobra.ExactArgs(1),
	})
}

func refuseCommand(a *cli.App) *cobra.Command {
	return act(schemas.ActRefuse).Of(a, &cobra.Command{
		Use:     "refuse ID",
		Short:   "Reject a handoff that waits for approval",
		Example: `  handoff refuse 12 --reason "Not before the audit"`,
		Long:    "Only human may refuse.",
		Args:    cobra.ExactArgs(1),
	})
}

func cancelCommand(a *cli.App) *cobra.Command {
	return act(schemas.ActCancel).Of(a, &cobra.Command{
		Use:     "cancel ID",
		Short:   "Cancel a handoff that is no longer needed",
		Example: `  handoff cancel 12 --reason "Done by hand"`,
		Long:    "The holder learns of it at its next call. Handoffs that followed from it are listed, not cancelled.",
		Args:    cobra.ExactArgs(1),
	})
}

// act is what a command does that takes one action on a handoff, for a reason.
func act(action schemas.Action) cli.ToolCommand[schemas.UpdateOut] {
	return cli.ToolCommand[schemas.UpdateOut]{
		Tool: "update_handoff", Place: "handoff_id", Fields: []cli.Field{cli.Text("reason", "note", "why")},
		Arguments: func(_ *cobra.Command, _ []string, args cli.Arguments) error { return args.Put("action", action) },
		ID:        updatedID,
		Print:     printUpdated,
	}
}

func retryCommand(a *cli.App) *cobra.Command {
	retry := act(schemas.ActRetry)
	retry.ID = func(out schemas.UpdateOut) string { return out.Created.String() }
	retry.Print = printRetried
	return retry.Of(a, &cobra.Command{
		Use:   "retry ID",
		Short: "Run a failed handoff again, with what it left behind",
		Example: `  handoff retry 3
  handoff retry 3 --reason "The service is up again"`,
		Long: `A new handoff carries over the context, the partial progress and the checkpoint of one that failed, was
rejected, timed out or was cancelled. Repeating it gives the same new handoff. --silent prints the id of that one.`,
		Args: cobra.ExactArgs(1),
	})
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

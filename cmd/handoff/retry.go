package main

import (
	"github.com/spf13/cobra"

	"handoff/schemas"
)

func (a *app) retryCommand() *cobra.Command {
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
		args := arguments{"handoff_id": given[0], "action": schemas.ActRetry}
		if *reason != "" {
			args["note"] = *reason
		}
		out, raw, err := once[schemas.UpdateOut](cmd.Context(), a, "update_handoff", args)
		if err != nil {
			return err
		}
		if *silent {
			return a.write(out.Created.String() + "\n")
		}
		return a.printWithMail(raw, func(p *page) { p.retried(out) })
	}
	a.keeping.bindHidden(cmd)
	return cmd
}

func (p *page) retried(out schemas.UpdateOut) {
	if out.To == "" { // which only a new one has
		p.line("Handoff %s was retried before: %s, the same as before", out.HandoffID, p.Bold(out.Created.String()))
		p.warn(out.Warnings)
		return
	}
	p.line("Retrying handoff %s as %s", out.HandoffID, p.Bold(out.Created.String()))
	if out.Checkpoint != "" {
		p.line("- Restoring checkpoint: %s", out.Checkpoint)
	}
	p.line("- Re-initiating handoff to %s", schemas.Visible(string(out.To)))
	p.line("- Context preserved from previous attempt")
	p.warn(out.Warnings)
}

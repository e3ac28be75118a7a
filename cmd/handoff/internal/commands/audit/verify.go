package audit

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func verifyCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Walk the whole registry and compare it with the records",
		Example: `  handoff audit verify
  handoff audit verify --json`,
		Long: "Prints how many events there are and the root of the tree over them. Exit status 1: something was changed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			end := a.Busy("verifying the registry")
			out, raw, err := cli.Call[schemas.AuditOut](cmd.Context(), a, "audit_verify", cli.Arguments{})
			end()
			if err != nil {
				return err
			}
			if err := a.Print(raw, func(p *cli.Page) { printAudit(p, out) }); err != nil || out.OK {
				return err
			}
			return cli.Exit(schemas.Codes[schemas.Internal].Exit)
		},
	}
}

func printAudit(p *cli.Page, out schemas.AuditOut) {
	p.Line("%d events of %d handoffs", out.Events, out.Handoffs)
	p.Line("root %s", out.Root)
	for _, problem := range out.Problems {
		p.Line("%s %s", p.Red("problem:"), schemas.Visible(problem))
	}
	if out.OK {
		p.Line("%s", p.Green("OK"))
	}
}

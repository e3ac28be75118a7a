package main

import (
	"github.com/spf13/cobra"

	"handoff/schemas"
)

func (a *app) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Look after the audit registry",
		Example: `  handoff audit verify`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.verifyCommand())
	return cmd
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Walk the whole registry and compare it with the records",
		Example: `  handoff audit verify
  handoff audit verify --json`,
		Long: "Prints how many events there are and the root of the tree over them. Exit status 1: something was changed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, raw, err := once[schemas.AuditOut](cmd.Context(), a, "audit_verify", arguments{})
			if err != nil {
				return err
			}
			if err := a.print(raw, func(p *page) { p.audit(out) }); err != nil || out.OK {
				return err
			}
			return Exit(schemas.Codes[schemas.Internal].Exit)
		},
	}
}

func (p *page) audit(out schemas.AuditOut) {
	p.line("%d events of %d handoffs", out.Events, out.Handoffs)
	p.line("root %s", out.Root)
	for _, problem := range out.Problems {
		p.line("%s %s", p.Red("problem:"), schemas.Visible(problem))
	}
	if out.OK {
		p.line("%s", p.Green("OK"))
	}
}

package work

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func redactCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.RedactOut]{
		Tool: "handoff_redact", Place: "handoff_id", Rest: "field",
		ID: func(out schemas.RedactOut) string { return out.HandoffID },
		Print: func(p *cli.Page, out schemas.RedactOut) {
			p.AddLine("%s redacted, in %d of its events", p.Bold(out.HandoffID), out.Contents)
		},
	}.Configure(a, &cobra.Command{Use: "redact ID [FIELD]", Args: cobra.RangeArgs(1, 2)})
}

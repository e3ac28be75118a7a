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
			p.Line("%s redacted, in %d of its events", p.Bold(out.HandoffID), out.Contents)
		},
	}.Of(a, &cobra.Command{
		Use: "redact ID [FIELD]", Short: "Take texts out of what was kept, for good",
		Example: `  handoff redact 12 --agent human
  handoff redact 12 data.token --agent human
  handoff redact no_7 --agent human`,
		Long: `Replaces the texts of a handoff or a message, or those under one field, as "show --json" has it, in all that was kept,
and notes who did it. The registry still verifies. Only human may. Content that was sent along goes
with its reference, also from other handoffs that refer to it. Handoffs that repeat the text are redacted by themselves
("history" shows what was made of one). Copies of the store made before keep what they have, and so may pages of its
file that are free, until they are written again.`,
		Args: cobra.RangeArgs(1, 2),
	})
}

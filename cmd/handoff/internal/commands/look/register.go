package look

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

var registerFields = []cli.Field{
	cli.Words("accepts", "accepts", "work types: code,test_request; * for any"),
	cli.Words("produces", "produces", "what comes back: test_results"),
	cli.Words("skills", "skills", "python,mcp"),
	cli.Text("role", "role", "as testing"),
	cli.Text("description", "description", "what it is good at"),
	cli.Number("max-session", "max_session_minutes", "the longest that it works at a stretch, in `minutes`"),
	cli.Number("max-open", "max_open", "handoffs at once"),
	cli.Switch("away", "away", "takes nothing for now: senders are warned"),
}

func registerCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "register NAME",
		Short: "Say what an agent accepts and produces",
		Example: `  handoff agents register qa --accepts code,test_request --produces test_results --role testing
  handoff agents register qa --away`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args := cli.Arguments{"name": given[0]}
			if err := args.Set(cmd, registerFields); err != nil {
				return err
			}
			out, raw, err := cli.Call[schemas.RegisterOut](cmd.Context(), a, "register_agent", args)
			if err != nil {
				return err
			}
			return a.Print(raw, func(p *cli.Page) { printAgents(p, []schemas.Card{out.Agent}) })
		},
	}
	cli.Bind(cmd, registerFields)
	return cmd
}

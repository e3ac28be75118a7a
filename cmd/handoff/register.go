package main

import (
	"github.com/spf13/cobra"

	"handoff/schemas"
)

var registerFields = []Field{
	Words("accepts", "accepts", "work types: code,test_request; * for any"),
	Words("produces", "produces", "what comes back: test_results"),
	Words("skills", "skills", "python,mcp"),
	Text("role", "role", "as testing"),
	Text("description", "description", "what it is good at"),
	Number("max-session", "max_session_minutes", "the longest that it works at a stretch, in `minutes`"),
	Number("max-open", "max_open", "handoffs at once"),
	Switch("away", "away", "takes nothing for now: senders are warned"),
}

func (a *app) registerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "register NAME",
		Short: "Say what an agent accepts and produces",
		Example: `  handoff agents register qa --accepts code,test_request --produces test_results --role testing
  handoff agents register qa --away`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args := arguments{"name": given[0]}
			if err := args.set(cmd, registerFields); err != nil {
				return err
			}
			out, raw, err := once[schemas.RegisterOut](cmd.Context(), a, "register_agent", args)
			if err != nil {
				return err
			}
			return a.print(raw, func(p *page) { p.agents([]schemas.Card{out.Agent}) })
		},
	}
	bind(cmd, registerFields)
	return cmd
}

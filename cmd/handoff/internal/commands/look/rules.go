package look

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func rulesCommand(a *cli.App) *cobra.Command {
	return cli.AddSubcommands(&cobra.Command{Use: "rules"}, rulesTestCommand(a))
}

// rulesTestResult holds the rules of a file, and the actions that they would cause for a handoff.
type rulesTestResult struct {
	File      string              `json:"file"`
	Routes    []schemas.Route     `json:"routes"`
	Workflows []schemas.Plan      `json:"workflows"`
	Problems  []string            `json:"problems,omitempty"`
	Tried     schemas.RulesTryOut `json:"tried,omitzero"`
}

func rulesTestCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:  "test FILE [ID]",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, given []string) error {
			text, err := a.ReadInput(cmd.Context(), "FILE", given[0])
			if err != nil {
				return err
			}
			said, problems := agentsfile.File{Name: given[0]}.Parse(text, true)
			tested := rulesTestResult{File: given[0], Routes: said.Routes, Workflows: said.Plans, Problems: problems}
			if len(problems) == 0 && len(given) == 2 {
				in := cli.Arguments{"handoff_id": given[1], "routes": said.Routes, "plans": said.Plans}
				if tested.Tried, _, err = cli.Call[schemas.RulesTryOut](cmd.Context(), a, "rules_try", in); err != nil {
					return err
				}
			}
			return cli.ExitErrorUnless(len(problems) == 0, schemas.Invalid, a.PrintValue(tested, tested.print))
		},
	}
}

func (t rulesTestResult) print(p *cli.Page) {
	p.AddProblems(t.Problems)
	if len(t.Problems) == 0 {
		p.AddLine("%s %s: %s, %s", p.Green("ok"), schemas.EscapeHidden(t.File), schemas.CountNoun(len(t.Routes), "route"), schemas.CountNoun(len(t.Workflows), "workflow"))
	}
	if t.Tried.HandoffID == 0 {
		return
	}
	p.AddLine("%s %s", t.Tried.HandoffID, t.Tried.On)
	for _, r := range t.Tried.Routes {
		if !r.Fires {
			p.AddLine("  %s: nothing, %s", schemas.EscapeHidden(r.Route), schemas.EscapeHidden(r.Why))
			continue
		}
		sends := schemas.Map(r.Sends, func(send schemas.SendIn) string {
			return send.To + " – " + schemas.Shorten(cmp.Or(send.Title, send.Task), 80)
		})
		p.AddLine("  %s %s: sends %s", p.Green("fires"), schemas.EscapeHidden(r.Route), schemas.EscapeHidden(strings.Join(sends, "; ")))
	}
}

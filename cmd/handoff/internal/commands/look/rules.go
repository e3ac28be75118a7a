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
	return cli.Group(&cobra.Command{
		Use:     "rules",
		Short:   "Try the rules that files declare",
		Example: `  handoff rules test .handoff/agents.yaml`,
		Long: `A file that declares agents may have rules, too: what is sent when something happens to a handoff.

  routes:
    - name: what fails is fixed
      on: [completed, failed]      # sent, completed, accepted, returned, failed, rejected, timed_out, cancelled
      when: handoff.type == "testing" && !outcome.passed
      send: {to: "role:fixing", task: "Fix {{handoff.title}}: {{outcome.summary}}"}

And it may have workflows by name, which handoff workflow start NAME TASK begins:

  workflows:
    build:
      - {step: implement, to: "role:implementation", task: "{{root.task}}"}
      - {step: test, to: "role:testing", task: "Test: {{outcome.summary}}"}
      - {step: fix, when: "!outcome.passed", next: test, to: "role:fixing", task: "Fix: {{outcome.summary}}"}
      - {step: verify, to: "role:verification", task: "Is it ready?"}

What is sent has the fields of the tool send_handoff; several are a list, and join is one that waits for them. After a
step comes the next one if it was done well. One with "when" is looked at however the step before it ended; "next" names
the step after it, or end. Steps in a list of their own are done side by side, and the step after them waits for all.

"when", and what stands in {{ }}, are expressions of CEL, the Common Expression Language. They know

  handoff, root  id type title task summary detail data tags priority from to holder status step round attempt depth workflow
  outcome        status passed summary detail data results output notes unmet tests_passed tests_failed failure_type alternative

Root is where the chain began. A text that may be missing is written outcome.data.?branch.orValue("main"). A rule for what
failed takes the place of the rollback. A rule that is refused, as at the end of a chain, is told to human.`,
	}, rulesTestCommand(a))
}

// testedRules holds the rules of a file, and the actions that they would cause for a handoff.
type testedRules struct {
	File      string              `json:"file"`
	Routes    []schemas.Route     `json:"routes"`
	Workflows []schemas.Plan      `json:"workflows"`
	Problems  []string            `json:"problems,omitempty"`
	Tried     schemas.RulesTryOut `json:"tried,omitzero"`
}

func rulesTestCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE [ID]",
		Short: "Say what is wrong with the rules of a file, and what they would send because of a handoff",
		Long: "With ID it says of each rule what it would send because of what happened to that handoff last, or why nothing.\n" +
			"Nothing is sent. Exit status 2: something is wrong with the file.",
		Example: `  handoff rules test .handoff/agents.yaml
  handoff rules test .handoff/agents.yaml 12`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, given []string) error {
			text, err := a.Input(cmd.Context(), "FILE", given[0])
			if err != nil {
				return err
			}
			said, problems := agentsfile.File{Name: given[0]}.Parse(text, true)
			tested := testedRules{File: given[0], Routes: said.Routes, Workflows: said.Plans, Problems: problems}
			if len(problems) == 0 && len(given) == 2 {
				in := cli.Arguments{"handoff_id": given[1], "routes": said.Routes, "plans": said.Plans}
				if tested.Tried, _, err = cli.Call[schemas.RulesTryOut](cmd.Context(), a, "rules_try", in); err != nil {
					return err
				}
			}
			return cli.Unless(len(problems) == 0, schemas.Invalid, a.PrintValue(tested, tested.print))
		},
	}
}

func (t testedRules) print(p *cli.Page) {
	p.Problems(t.Problems)
	if len(t.Problems) == 0 {
		p.Line("%s %s: %s, %s", p.Green("ok"), schemas.Visible(t.File), schemas.Counted(len(t.Routes), "route"), schemas.Counted(len(t.Workflows), "workflow"))
	}
	if t.Tried.HandoffID == 0 {
		return
	}
	p.Line("%s %s", t.Tried.HandoffID, t.Tried.On)
	for _, r := range t.Tried.Routes {
		if !r.Fires {
			p.Line("  %s: nothing, %s", schemas.Visible(r.Route), schemas.Visible(r.Why))
			continue
		}
		sends := schemas.Map(r.Sends, func(send schemas.SendIn) string {
			return send.To + " – " + schemas.Shorten(cmp.Or(send.Title, send.Task), 80)
		})
		p.Line("  %s %s: sends %s", p.Green("fires"), schemas.Visible(r.Route), schemas.Visible(strings.Join(sends, "; ")))
	}
}

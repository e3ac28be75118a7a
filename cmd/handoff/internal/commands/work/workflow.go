package work

import (
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func workflowCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "workflow",
		Short:   "Begin a workflow that a file declares under a name",
		Example: `  handoff workflow start factory "Detect the operating mode" --agent human`,
	}, workflowListCommand(a), workflowStartCommand(a))
}

func workflowListCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the workflows that the files of this project declare, with their steps",
		Example: `  handoff workflow list`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plans := []schemas.Plan{}
			for _, f := range a.AgentsFiles() {
				said, problems := f.Read()
				if len(problems) > 0 {
					return schemas.Invalidf("FILE", "%s", problems[0]).WithHint("handoff rules test %s shows all.", f.Path)
				}
				plans = append(plans, said.Plans...)
			}
			return a.PrintValue(plans, func(p *cli.Page) {
				var rows [][]string
				for _, plan := range plans {
					steps := schemas.Map(plan.Steps, func(unit []schemas.PlanStep) string {
						return strings.Join(schemas.Map(unit, func(step schemas.PlanStep) string { return step.Step }), " + ")
					})
					rows = append(rows, []string{plan.Name, strings.Join(steps, ", ")})
				}
				p.List("no workflow is declared: handoff rules --help shows how", []string{"WORKFLOW", "STEPS"}, rows)
			})
		},
	}
}

func workflowStartCommand(a *cli.App) *cobra.Command {
	return sending(a, "workflow:", &cobra.Command{
		Use:   "start [NAME TASK…]",
		Short: "Send the first step of a workflow; the rules send the others",
		Example: `  handoff workflow start factory "Detect the operating mode" --agent human
  handoff workflow start review "the login" --agent human`,
		Long: "NAME is one that handoff workflow list shows. The flags are those of send.",
	})
}

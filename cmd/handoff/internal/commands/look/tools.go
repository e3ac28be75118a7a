package look

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/tools"
)

func toolsCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "List the tools that agents are offered",
		Example: `  handoff tools
  handoff tools --json | wc -c     # what a client reads before it begins`,
		Long: "With --json: names, titles, descriptions and input schemas, as clients receive them.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.Print(tools.Listing(), func(p *cli.Page) { printTools(p) })
		},
	}
}

func printTools(p *cli.Page) {
	var rows [][]string
	for _, t := range tools.Table {
		effect := "writes"
		if t.ReadOnly {
			effect = "reads"
		}
		rows = append(rows, []string{t.Name, effect, t.Description})
	}
	p.WriteString(p.Table([]string{"TOOL", "EFFECT", "DOES"}, rows))
}

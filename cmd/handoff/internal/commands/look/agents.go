package look

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

var agentsFields = []cli.Field{
	cli.Text("capability", "capability", "only who accepts this"),
	cli.Text("role", "role", "only of this role"),
	cli.Words("skill", "tags", "only with one of these skills: a,b"),
}

func agentsCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List agents: who can take what, who is live, how busy they are",
		Example: `  handoff agents
  handoff agents --capability security_review
  handoff agents register qa --accepts code,test_request --role testing`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := cli.Arguments{"limit": cli.Everybody}
			if err := args.Set(cmd, agentsFields); err != nil {
				return err
			}
			out, raw, err := cli.Call[schemas.AgentsOut](cmd.Context(), a, "list_agents", args)
			if err != nil {
				return err
			}
			return a.Print(raw, func(p *cli.Page) { printAgents(p, out.Agents) })
		},
	}
	cli.Bind(cmd, agentsFields)
	cmd.AddCommand(registerCommand(a))
	return cmd
}

func printAgents(p *cli.Page, cards []schemas.Card) {
	if len(cards) == 0 {
		p.Line("no agent yet")
		return
	}
	var rows [][]string
	for _, c := range cards {
		rows = append(rows, []string{
			string(c.Name), cli.Presence(c, p.Now), strconv.Itoa(c.Pending), strconv.Itoa(c.Held), c.Role, strings.Join(c.Accepts, ", "),
		})
	}
	p.WriteString(p.Table([]string{"AGENT", "SEEN", "PENDING", "HELD", "ROLE", "ACCEPTS"}, rows))
}

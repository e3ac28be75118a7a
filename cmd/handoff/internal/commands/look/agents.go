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
	cmd := cli.ToolCommand[schemas.AgentsOut]{
		Tool: "list_agents", Fields: agentsFields,
		Arguments: func(_ *cobra.Command, _ []string, args cli.Arguments) error { return args.Put("limit", cli.Everybody) },
		Print:     func(p *cli.Page, out schemas.AgentsOut) { printAgents(p, out.Agents) },
	}.Of(a, &cobra.Command{
		Use:   "agents [NAME]",
		Short: "List agents: who can take what, who is live, how busy they are",
		Example: `  handoff agents
  handoff agents qa              # one of them, with what it holds and what waits for it
  handoff agents --capability security_review
  handoff agents register qa --accepts code,test_request --role testing --agent human`,
		Args: func(cmd *cobra.Command, given []string) error {
			if len(given) > 1 {
				return cli.OnlyBelow(cmd, given)
			}
			return nil
		},
	})
	all := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if len(given) == 0 {
			return all(cmd, nil)
		}
		return showAgent(cmd.Context(), a, schemas.Agent(given[0]))
	}
	cmd.AddCommand(registerCommand(a))
	return cmd
}

func printAgents(p *cli.Page, cards []schemas.Card) {
	var rows [][]string
	for _, c := range cards {
		rows = append(rows, []string{
			string(c.Name), cli.Presence(c, p.Now), strconv.Itoa(c.Pending), strconv.Itoa(c.Held), c.Role,
			strings.Join(c.Accepts, ", "),
		})
	}
	p.List("no agent yet", []string{"AGENT", "SEEN", "PENDING", "HELD", "ROLE", "ACCEPTS"}, rows)
}

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
	return cli.ToolCommand[schemas.RegisterOut]{
		Tool: "register_agent", Place: "name", Fields: registerFields,
		Print: func(p *cli.Page, out schemas.RegisterOut) { printAgents(p, []schemas.Card{out.Agent}) },
	}.Of(a, &cobra.Command{
		Use:   "register NAME",
		Short: "Say what an agent accepts and produces",
		Example: `  handoff agents register qa --accepts code,test_request --produces test_results --agent human
  handoff agents register qa --away --agent human`,
		Args: cobra.ExactArgs(1),
	})
}

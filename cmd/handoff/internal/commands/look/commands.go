// Package look has the commands that look at a workspace: status, list, show, diff, history, agents, audit and watch. Besides
// it has the three that look at the program itself: tools, version, and call, which calls any tool as an MCP client
// does.
//
// Only agents register and call change something, and agents init and import write a file. Everything else is one call of a tool that reads; list makes as many
// as it takes, and watch follows the events until nobody reads them any more.
package look

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		statusCommand(a), listCommand(a), inboxCommand(a), searchCommand(a), showCommand(a), diffCommand(a), historyCommand(a),
		agentsCommand(a), rulesCommand(a), auditCommand(a),
		watchCommand(a), callCommand(a), toolsCommand(a), versionCommand(a),
	}
}

// Spellings are how calls of tools are said in these commands: where several fit, the first that does.
var Spellings = []cli.Spelling{
	{
		Tool: "get_handoff", Command: "show", Places: []string{"handoff_id"},
		Choices: viewChoices(),
	},
	{
		Tool: "handoff_history", Command: "history", Places: []string{"workflow", "handoff_id"},
		Fields: []cli.Field{cli.Number("limit", "limit", "")},
		Choices: []cli.Choice{
			{Argument: "format", Value: "mermaid", Flag: "mermaid"}, {Argument: "format", Value: "rows", Flag: "rows"},
		},
	},
	{
		Tool: "list_handoffs", Command: "list", Fields: listFields,
		Choices: []cli.Choice{{Argument: "box", Value: "all", Flag: "all"}},
	},
	{Tool: "list_agents", Command: "agents", Fields: agentsFields},
	{Tool: "register_agent", Command: "agents register", Places: []string{"name"}, Fields: registerFields},
}

func auditCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "audit",
		Short:   "Look after the audit registry",
		Example: `  handoff audit verify`,
	}, verifyCommand(a))
}

func verifyCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Walk the whole registry and compare it with the records",
		Example: `  handoff audit verify
  handoff audit verify --json`,
		Long: "Prints how many events there are and the root of the tree over them. Exit status 1: something was changed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.Progress(cmd.Context(), "verifying the registry")
			out, raw, err := cli.Call[schemas.AuditOut](ctx, a, "audit_verify", cli.Arguments{})
			end()
			if err != nil {
				return err
			}
			if err := a.Print(raw, func(p *cli.Page) { printAudit(p, out) }); err != nil || out.OK {
				return err
			}
			return cli.Exit(schemas.Codes[schemas.Internal].Exit)
		},
	}
}

func printAudit(p *cli.Page, out schemas.AuditOut) {
	p.Line("%d events of %d handoffs", out.Events, out.Handoffs)
	p.Line("root %s", out.Root)
	for _, problem := range out.Problems {
		p.Line("%s %s", p.Red("problem:"), schemas.Visible(problem))
	}
	if out.OK {
		p.Line("%s", p.Green("OK"))
	}
}

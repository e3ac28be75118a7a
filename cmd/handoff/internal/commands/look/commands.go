// Package look has the commands that look at a workspace: status, list, show, diff, history, agents and watch. Besides
// it has the three that look at the program itself: tools, version, and call, which calls any tool as an MCP client
// does.
//
// Only agents register and call change something, and agents init and import write a file. Everything else is one call
// of a tool that reads; list makes as many as it takes, and watch follows the events until nobody reads them any more.
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
		agentsCommand(a), rulesCommand(a),
		watchCommand(a), callCommand(a), toolsCommand(a), versionCommand(a),
	}
}

// Spellings are how calls of tools are said in these commands: where several fit, the first that does.
var Spellings = []cli.Spelling{
	{
		Tool: "get_handoff", Command: "show", Places: []string{"handoff_id"},
		Choices: schemas.Map(views, func(v view) cli.Choice { return cli.Choice{Argument: "view", Value: v.name, Flag: v.name} }),
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

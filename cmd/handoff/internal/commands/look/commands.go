// Package look has the commands that read a workspace: status, list, show, diff, history, agents and watch. It also has
// three commands about the program itself: tools, version, and call, which calls any tool as an MCP client does.
//
// Only agents register and call change something, and agents init and import write a file. Every other command is one
// call of a reading tool; list makes as many calls as it needs, and watch follows the events until its reader goes
// away.
package look

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		statusCommand(a), listCommand(a), inboxCommand(a), searchCommand(a), showCommand(a), diffCommand(a), historyCommand(a),
		agentsCommand(a), rulesCommand(a),
		watchCommand(a), callCommand(a), toolsCommand(a), versionCommand(a),
	}
}

// Spellings are the command lines for calls of tools. If several fit a call, the first counts.
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

// Package look has the commands that read a workspace: status, list, show, diff, history, agents and watch. It also has
// the command "call", which calls any tool as an MCP client does, and the commands "tools" and "version", which
// describe the program itself.
//
// Only "agents register" and "call" change the workspace. Only "agents init" and "agents import" write a file. Most
// commands make one call of a reading tool. The command "list" makes several calls if it needs more rows. The command
// "watch" prints events until no process reads its output.
package look

import (
	"embed"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily], and tables of
// their flags, for [cli.ReadFields].
//
//go:embed help_*.txt fields_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts,
		statusCommand(a), listCommand(a), inboxCommand(a), searchCommand(a), showCommand(a), diffCommand(a), historyCommand(a),
		agentsCommand(a), rulesCommand(a),
		watchCommand(a), callCommand(a), toolsCommand(a), versionCommand(a),
	)
}

// Spellings returns the ways to write calls of tools as command lines. The first spelling that fits a call is used.
func Spellings() []cli.CommandSpelling {
	return []cli.CommandSpelling{
		{Tool: "get_handoff", Command: "show", Places: []string{"handoff_id"}, Fields: showFields()},
		{
			Tool: "handoff_history", Command: "history", Places: []string{"workflow", "handoff_id"},
			Fields: append(historyFields(), cli.Number("limit", "limit", "")),
		},
		{Tool: "list_handoffs", Command: "list", Fields: append([]cli.Field{cli.Choice("all", "box=all", "")}, listFields()...)},
		{Tool: "list_agents", Command: "agents", Fields: agentsFields()},
		{Tool: "register_agent", Command: "agents register", Places: []string{"name"}, Fields: registerFields()},
	}
}

// Package look has the commands that look at a workspace: list, show, history, agents, audit and watch. Besides it has
// the three that look at the program itself: tools, version, and call, which calls any tool as an MCP client does.
//
// Only agents register and call change something. Everything else is one call of a tool that reads; list makes as many
// as it takes, and watch follows the events until nobody reads them any more.
package look

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		listCommand(a), showCommand(a), historyCommand(a), agentsCommand(a), auditCommand(a),
		watchCommand(a), callCommand(a), toolsCommand(a), versionCommand(a),
	}
}

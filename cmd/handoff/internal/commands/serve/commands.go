// Package serve has the commands that serve others, and those that look after it: mcp is the server of one client over
// standard input and output, serve keeps a workspace served though no client runs, also over HTTP; token says who may
// call over HTTP, and logs shows the log of the process that owns the workspace.
//
// The two servers begin and end by [process.Begin]: a signal ends them in good order, and they never outlive the time
// that the system gives them. The flags about the network and the log are this package's alone.
package serve

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		mcpCommand(a), serveCommand(a), tokenCommand(a), logsCommand(a),
	}
}

// Package work has the commands by which work moves: send, claim, complete, fail, update, wait, approve, refuse, cancel
// and retry.
//
// Each is a file. It declares the flags that become arguments of one tool, calls the tool, and prints what came of it
// for people; with --silent only the id. Which step is allowed the mailbox decides, never a command.
package work

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Commands gives the commands of this package but [Wait], for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		sendCommand(a), claimCommand(a), completeCommand(a), failCommand(a), updateCommand(a),
		approveCommand(a), refuseCommand(a), cancelCommand(a), retryCommand(a),
	}
}

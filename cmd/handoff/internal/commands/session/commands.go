// Package session has the commands that the hooks of a client run for a session: hook tells it its news, wait --hook
// wakes it when work arrives, and prime prints what it is told at its start.
//
// A hook never disturbs its client: what goes wrong is [Silenced], and whatever takes too long is left behind. What a
// session is told, and in which form its client takes it, is in package delivery.
package session

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		hookCommand(a), primeCommand(a),
	}
}

// Package audit has the commands that look after the audit registry and prove what is in it.
//
// A [head] is the tree over the first events, signed with the [key] of the workspace. Whoever kept one finds out whether
// the registry still begins with these events; a ref of the project's repository keeps it where others fetch it, see
// [anchor]. The process that owns the workspace reads events and hashes, and these commands sign. Formats are those of
// C2SP: signed-note, tlog-checkpoint and tlog-tiles.
package audit

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

const about = `The registry has one event for each change. Events are the leaves of a Merkle tree (RFC 6962), and its root says
what all of them are. verify finds what was changed in the store, as long as the registry was not computed anew. Against
that a head helps that somebody else has: one that checkpoint printed, or one that was fetched from the repository
where anchor put it. docs/audit.md says which protects against whom.`

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{cli.Group(&cobra.Command{
		Use:     "audit",
		Short:   "Look after the audit registry",
		Example: `  handoff audit verify`,
		Long:    about,
	},
		verifyCommand(a), checkpointCommand(a), keyCommand(a), anchorCommand(a), exportCommand(a),
	)}
}

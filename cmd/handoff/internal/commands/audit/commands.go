// Package audit has the commands that look after the audit registry and prove what is in it.
//
// A [head] is the tree over the first events, signed with the [key] of the workspace. It is proved to be the beginning
// of a later one, an event is proved to be in it, and a ref of the project's repository keeps it where others fetch it,
// see [anchor]. The process that owns the workspace reads events and hashes; these commands sign, and check all that
// they were given before they print it. Formats are those of C2SP: signed-note, tlog-checkpoint, tlog-proof,
// tlog-tiles, tlog-witness and tlog-cosignature.
package audit

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

const about = `The registry has one event for each change. Events are the leaves of a Merkle tree (RFC 6962), and its root says
what all of them are. verify finds what was changed in the store, as long as the registry was not computed anew. Against
that a head helps that somebody else has: one that was sent with checkpoint, fetched from the repository where anchor
put it, or cosigned by a witness. docs/audit.md says which protects against whom.`

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{cli.Group(&cobra.Command{
		Use:     "audit",
		Short:   "Look after the audit registry",
		Example: `  handoff audit verify`,
		Long:    about,
	},
		verifyCommand(a), logCommand(a), checkpointCommand(a), keyCommand(a), proveCommand(a), consistencyCommand(a), checkCommand(a),
		anchorCommand(a), exportCommand(a), cosignCommand(a),
	)}
}

// Package audit has the commands that look after the audit registry and prove its content.
//
// A [head] is the tree over the first events, signed with the [key] of the workspace. A person who kept a head can
// check whether the registry still begins with these events; a ref of the project's repository keeps heads for others
// to fetch, see [anchor]. The process that owns the workspace reads events and hashes, and these commands sign. Formats
// are the formats of C2SP: signed-note, tlog-checkpoint and tlog-tiles.
//
// Commands sign because a database then needs no secret of a workspace, and the same commands work over it. The key has
// the origin in its name, so a workspace that gets another name keeps both.
//
// An anchor is a ref because a signature proves nothing against the holder of its key. There is a commit for each head,
// in refs/handoff/heads/WORKSPACE. Pushes and fetches of the repository carry it along, and git refuses to fetch it
// rewritten. It is made with plumbing under a fixed author, and no hook runs. The walk of audit verify computes the
// root at each anchored size from the events themselves, and not from stored hashes.
//
// Bundles of tiles hold entries of at most 65,535 bytes. Our events have some hundred bytes, because names and ids are
// bounded and texts are not in them; the export would refuse a larger one.
package audit

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

const about = `The registry has one event for each change. Events are the leaves of a Merkle tree (RFC 6962), and its
root proves all of them. verify finds changes in the store, unless somebody computed the whole registry anew. To find
that, use a head that is kept elsewhere: a head that checkpoint printed, or a head of anchor that was fetched from
the repository. docs/audit.md lists the attacks and the command against each.`

// Commands returns the commands of this package, for the root to add.
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

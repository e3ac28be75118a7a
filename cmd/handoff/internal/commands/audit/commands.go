// Package audit has the commands that check the audit registry and prove its content.
//
// A [head] is the root of the hash tree over the first n events, signed with the [key] of the workspace. A person that
// kept a head can later check that the registry still begins with the same events. An [anchor] is a ref of the
// project's repository that keeps heads, so that other people can fetch them. The owner of the workspace reads the
// events and computes the hashes. These commands sign the result with a key in a file, so a database that holds the
// workspace does not hold the key. The formats come from C2SP: signed-note, tlog-checkpoint and tlog-tiles.
//
// The name of the key contains the origin, which is the name under which the workspace signs its heads. A renamed
// workspace keeps both the key and the origin.
//
// A signature proves nothing against the person that holds the key. So heads are also kept in a ref of git,
// refs/handoff/heads/WORKSPACE, with one commit for each head. Pushes and fetches of the repository include the ref.
// Git refuses to fetch a ref whose history was rewritten. The commits are made with the low-level commands of git under
// a fixed author, and run no hooks. The command audit verify computes the root at the size of each kept head from the
// events themselves. It does not use stored hashes.
//
// A bundle of tiles allows entries of at most 65,535 bytes. An event has some hundred bytes, because names and ids are
// bounded and events contain no texts. The export refuses a larger event.
package audit

import (
	"embed"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// helpTexts are the long descriptions and examples of the commands of this package, for [cli.NewFamily].
//
//go:embed help_*.txt
var helpTexts embed.FS

// Commands returns the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return cli.NewFamily(helpTexts, cli.AddSubcommands(&cobra.Command{Use: "audit"},
		verifyCommand(a), checkpointCommand(a), keyCommand(a), anchorCommand(a), exportCommand(a),
	))
}

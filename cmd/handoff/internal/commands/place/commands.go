// Package place has the commands about workspaces as files of this machine: where shows which one this is, workspace
// lists, adopts and removes them.
//
// They open no workspace that others use: adopt and remove hold the lock of the store for themselves alone, and are
// refused while another process has it.
package place

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
)

// Commands gives the commands of this package, for the root to add.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		whereCommand(a), workspaceCommand(a),
	}
}

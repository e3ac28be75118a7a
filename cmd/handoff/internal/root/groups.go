package root

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// groups are the headings of the program's help in their order. Each heading has its commands.
var groups = []struct{ title, commands string }{
	{"A day's work", "answer claim complete fail inbox run send show status update wait"},
	{"Deciding and changing", "accept approve assign cancel edit recall refuse retry workflow"},
	{"Looking", "agents diff history list search watch"},
	{"Setting up", "allow checks completion demo deny doctor rules setup version"},
	{"Workspaces", "audit backup check compact export import redact restore where workspace"},
	{"Servers", "logs serve token"},
	{"For agents and scripts", "call capture exec hook mcp prime render tools"},
}

// groupCommands puts each command of the program under its heading.
func groupCommands(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, cmd := range root.Commands() {
			if slices.Contains(strings.Fields(g.commands), cmd.Name()) {
				cmd.GroupID = g.title
			}
		}
	}
}

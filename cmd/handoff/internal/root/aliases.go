package root

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// aliasTable explains its columns.
//
//go:embed aliases.txt
var aliasTable string

// replaceAlias returns the arguments with the command that their first word means in other programs, and tells the
// person on the standard error stream. It returns arguments of any other kind unchanged.
func replaceAlias(e cli.Env, root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	named := slices.ContainsFunc(root.Commands(), isNamed(args[0]))
	for line := range strings.Lines(aliasTable) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if len(columns) != 3 || !slices.Contains(strings.Fields(columns[0]), args[0]) || !fitsAlias(columns[1], args[1:]) {
			continue
		}
		typed := 1
		if strings.Contains(columns[1], "=") {
			typed = 2
		} else if named {
			continue
		}
		fmt.Fprintf(e.Stderr, "%s is handoff %s\n", strings.Join(args[:typed], " "), columns[2])
		return append(strings.Fields(columns[2]), args[typed:]...)
	}
	return args
}

func isNamed(word string) func(*cobra.Command) bool {
	return func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) }
}

// fitsAlias reports whether the first argument behind an alias is of a kind that [aliasTable] names.
func fitsAlias(kind string, args []string) bool {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return kind == "-"
	}
	switch kind {
	case "wf", "no":
		return strings.HasPrefix(args[0], kind+"_")
	case "id":
		_, ok := schemas.ParseID(args[0])
		return ok
	}
	return kind == "*" || slices.Contains(strings.Fields(kind), "="+args[0])
}

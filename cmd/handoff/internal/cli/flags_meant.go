package cli

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas/closest"
)

// flagTable says what flags of other programs mean. It explains its columns.
//
//go:embed flags_meant.txt
var flagTable string

// AcceptFlags returns the arguments of a command line in which flags of other programs that mean one flag or argument
// of the command are replaced by it. Other unknown flags stay, and are refused with a hint.
func AcceptFlags(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root {
		return args
	}
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, joined := strings.Cut(args[i], "=")
		ways := meaningsOfFlag(cmd, name)
		if len(ways) != 1 || ways[0][0] != '=' {
			continue
		}
		switch way := ways[0][1:]; {
		case strings.HasPrefix(way, "-"):
			args[i] = way + args[i][len(name):]
		case joined || i+1 < len(args):
			if !joined {
				value = args[i+1]
				args = slices.Delete(args, i, i+1)
			}
			args = slices.Delete(args, i, i+1)
			at := map[string]int{"first": slices.Index(args, cmd.Name()) + 1, "last": len(args)}[way]
			args = slices.Insert(args, at, value)
			i-- // the next word has taken this place
		}
	}
	return args
}

// meaningsOfFlag returns the third columns of the rows of [flagTable] for a flag that a command does not have.
func meaningsOfFlag(cmd *cobra.Command, flag string) (meant []string) {
	if !strings.HasPrefix(flag, "-") || hasFlag(cmd, flag) {
		return nil
	}
	for line := range strings.Lines(flagTable) {
		c := strings.Split(strings.TrimSpace(line), " | ")
		if len(c) != 3 || c[0] != "*" && !slices.Contains(strings.Fields(c[0]), cmd.Name()) || !slices.Contains(strings.Fields(c[1]), flag) {
			continue
		}
		if way, _, _ := strings.Cut(strings.TrimPrefix(c[2], "="), " "); !strings.HasPrefix(way, "-") || hasFlag(cmd, way) {
			meant = append(meant, strings.ReplaceAll(c[2], "FLAG", flag))
		}
	}
	return meant
}

// hasFlag reports whether a command has a flag such as --file or -m.
func hasFlag(cmd *cobra.Command, flag string) bool {
	if name, long := strings.CutPrefix(flag, "--"); long {
		return cmd.Flag(name) != nil
	}
	return len(flag) == 2 && cmd.Flags().ShorthandLookup(flag[1:]) != nil
}

// flagsMeantBy returns the flags of a command, and command lines, that do what an unknown flag says, or else flags of
// similar names.
func flagsMeantBy(cmd *cobra.Command, flag string) (meant []string) {
	for _, way := range meaningsOfFlag(cmd, flag) {
		meant = append(meant, strings.TrimPrefix(way, "="))
	}
	if len(meant) > 0 {
		return meant
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return closest.LikelyNames(flag, names)
}

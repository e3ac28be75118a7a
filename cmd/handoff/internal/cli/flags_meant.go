package cli

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/schemas/respell"
)

// flagTable says what flags of other programs mean. It explains its columns.
//
//go:embed flags_meant.txt
var flagTable string

// Translate returns the arguments with the command and the flags that their words mean in other programs. If the command
// is another, it tells the person on the standard error stream. The error, for words with several meanings or whose
// command may end work, names the command lines that may be meant.
func Translate(e Env, root *cobra.Command, args []string) ([]string, error) {
	switch {
	case len(args) == 0, strings.HasPrefix(args[0], cobra.ShellCompRequestCmd):
		return args, nil
	case strings.HasPrefix(args[0], "-"):
		return acceptFlags(root, args), nil
	}
	root.InitDefaultHelpCmd() // else help is unknown
	meant, runs := respell.MeantCommands(args)
	typed := args
	cmd, rest, _ := root.Find(args)
	words := rest[:slices.IndexFunc(append(slices.Clone(rest), "-"), func(word string) bool { return strings.HasPrefix(word, "-") })]
	switch of, _ := respell.MeantCommands(words); {
	case runs:
		typed = meant[0]
	case cmd == root, cmd.HasAvailableSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil && len(of) > 0:
		return args, unknownCommandError(cmd, rest, meant)
	}
	typed = acceptFlags(root, typed)
	if now, _, _ := root.Find(typed); now != cmd {
		fmt.Fprintf(e.Stderr, "%s is %s\n", commandLineOf(args), commandLineOf(typed))
	}
	return typed, nil
}

// acceptFlags returns the arguments of a command line in which flags of other programs that mean one thing are replaced
// by it. Other unknown flags stay, and are refused with a hint.
func acceptFlags(root *cobra.Command, args []string) []string {
	for i := 0; i < len(wordsBeforeDashes(args)); i++ {
		cmd, _, _ := root.Find(args)
		if ways := meaningsOfFlag(cmd, args, i); len(ways) == 1 && ways[0][0] == '=' {
			args, i = replaceFlag(cmd, args, i, ways[0][1:]), -1 // begin again, because the command may be another
		}
	}
	return args
}

// meaningsOfFlag returns the third columns of the rows of [flagTable] for a flag that a command does not have, or for
// its value.
func meaningsOfFlag(cmd *cobra.Command, args []string, at int) (meant []string) {
	typed := strings.Replace(strings.Join(args[at:min(at+2, len(args))], "="), "=", " ", 1)
	flag, value, _ := strings.Cut(typed, " ")
	value, _, _ = strings.Cut(value, "=")
	for _, wanted := range []string{flag + "=" + strings.ToLower(value), flag} {
		for line := range strings.Lines(flagTable) {
			c := strings.Split(strings.TrimSpace(line), " | ")
			if len(c) != 3 || c[0] != "*" && !slices.Contains(strings.Fields(c[0]), cmd.Name()) || !slices.Contains(strings.Fields(c[1]), wanted) ||
				wanted == flag && hasFlag(cmd, flag) {
				continue
			}
			way, _, _ := strings.Cut(strings.TrimPrefix(c[2], "="), " ")
			if hasFlag(cmd, way) && (strings.HasPrefix(way, "-") || slices.Contains(args[:at], cmd.Name())) {
				meant = append(meant, c[2])
			}
		}
		if len(meant) > 0 {
			break
		}
	}
	return meant
}

// hasFlag reports whether a command has a flag such as --file or -m. Any other word is none that it lacks.
func hasFlag(cmd *cobra.Command, flag string) bool {
	if name, long := strings.CutPrefix(flag, "--"); long {
		return cmd.Flag(name) != nil
	}
	return !strings.HasPrefix(flag, "-") || flag == "-" || cmd.Flags().ShorthandLookup(flag[1:2]) != nil
}

// replaceFlag returns the arguments of a command with a meaning in place of the flag, see [flagTable].
func replaceFlag(cmd *cobra.Command, args []string, at int, way string) []string {
	flag, value, joined := strings.Cut(args[at], "=")
	rest := args[at+1:]
	if strings.Contains(way, "VALUE") && !joined && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		value, rest = rest[0], rest[1:]
	}
	fields := func(text string) []string {
		words := strings.Fields(strings.ReplaceAll(text, "(VALUE)", ""))
		return schemas.Map(words, func(word string) string { return strings.ReplaceAll(word, "VALUE", value) })
	}
	if strings.HasPrefix(way, "-") { // in place of the flag
		if !strings.Contains(way, "VALUE") {
			way += args[at][len(flag):]
		}
		return slices.Concat(args[:at], fields(way), rest)
	}
	place := min(slices.Index(args, cmd.Name())+1, at)
	head, tail, _ := strings.Cut(way, "ARGS")
	others := slices.Concat(args[place:at], rest)
	head, keeps := strings.CutSuffix(head, " FLAG")
	if keeps {
		others = args[place:]
	}
	words := fields(head)
	if words[0] == "." {
		words = slices.Concat(args[:place], words[1:])
	}
	return slices.Concat(words, others, fields(tail))
}

// linesMeant returns the command lines that a line with unknown flags may mean, and the flags that mean nothing here.
func linesMeant(root *cobra.Command, args []string) (lines [][]string, lost []string) {
	if len(args) > 0 && args[0] == "exec" { // its flags before -- are of the command behind it
		lines, lost = linesMeant(root, args[1:])
		return schemas.Map(lines, func(line []string) []string { return slices.Concat(args[:1], line) }), lost
	}
	args = acceptFlags(root, args)
	cmd, _, _ := root.Find(args)
	at := slices.IndexFunc(wordsBeforeDashes(args), func(word string) bool { return !hasFlag(cmd, word) })
	if at < 0 || cmd == root {
		return [][]string{args}, nil
	}
	ways := meaningsOfFlag(cmd, args, at)
	if len(ways) == 0 {
		ways = likelyFlags(cmd, args[at])
	}
	if len(ways) == 0 {
		lost, ways = []string{args[at]}, []string{". (VALUE)"}
	}
	for _, way := range ways {
		more, without := linesMeant(root, replaceFlag(cmd, args, at, way))
		lines, lost = append(lines, more...), append(lost, without...)
	}
	return lines, lost
}

// wordsBeforeDashes returns the arguments before "--", behind which no word is a flag.
func wordsBeforeDashes(args []string) []string {
	return args[:slices.Index(append(slices.Clone(args), "--"), "--")]
}

// likelyFlags returns the flags of a command with names like an unknown one.
func likelyFlags(cmd *cobra.Command, flag string) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	flag, _, _ = strings.Cut(flag, "=")
	return closest.LikelyNames(flag, names)
}

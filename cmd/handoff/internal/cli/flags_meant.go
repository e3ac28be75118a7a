package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

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

var flagRows = sync.OnceValue(func() [][]string { return schemas.TableRows(flagTable, 3) })

// Translate returns the arguments with the command and the flags that their words mean in other programs. If the command
// is another, it tells the person on the standard error stream. The error, for words with several meanings or whose
// command may end work, names the command lines that may be meant.
func Translate(e Env, root *cobra.Command, typed []string) ([]string, error) {
	before := programFlags(root, typed)
	args := typed[before:]
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return typed, nil
	}
	if (args[0] == "bd" || args[0] == "/handoff") && len(args) > 1 {
		return Translate(e, root, slices.Delete(slices.Clone(typed), before, before+1))
	}
	root.InitDefaultHelpCmd() // else help is unknown
	meant, runs := respell.MeantCommands(args)
	cmd, rest, _ := root.Find(args)
	words := rest[:slices.IndexFunc(append(slices.Clone(rest), "-"), func(word string) bool { return strings.HasPrefix(word, "-") })]
	line := args
	isMeant := func() bool { of, _ := respell.MeantCommands(words); return len(of) > 0 }
	switch {
	case runs:
		line = meant[0]
	case cmd == root, cmd.HasAvailableSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil && isMeant():
		return typed, unknownCommandError(cmd, rest, meant)
	}
	line = acceptFlags(root, line)
	if now, _, _ := root.Find(line); now != cmd {
		fmt.Fprintf(e.Stderr, "%s is %s\n", commandLineOf(args), commandLineOf(line))
	}
	return slices.Concat(typed[:before], line), nil
}

// programFlags returns the number of arguments before the command: flags that all commands have, and their values.
func programFlags(root *cobra.Command, args []string) (n int) {
	for n < len(args) && strings.HasPrefix(args[n], "--") && root.PersistentFlags().Lookup(flagName(args[n])) != nil {
		if takesNextWord(root, args[n]) {
			n++
		}
		n++
	}
	return min(n, len(args))
}

// acceptFlags returns the arguments of a command line in which flags of other programs that mean one thing are replaced
// by it. Other unknown flags stay, and are refused with a hint.
func acceptFlags(root *cobra.Command, args []string) []string {
	for range maxReplaced {
		cmd, _, _ := root.Find(args)
		at, way := acceptedFlag(cmd, args)
		if way == "" {
			break
		}
		args = replaceFlag(cmd, args, at, way)
	}
	return args
}

// maxReplaced is the largest number of flags that are replaced in a command line.
const maxReplaced = 20

// acceptedFlag returns the place and the meaning of the first flag that means one thing. Way is "" if there is none. A
// flag whose value is missing is not accepted, and neither is a recipient behind another one.
func acceptedFlag(cmd *cobra.Command, args []string) (at int, way string) {
	flags, words := splitWords(cmd, args)
	for _, at := range flags {
		ways := meaningsOfFlag(cmd, args, at)
		if len(ways) != 1 || ways[0][0] != '=' {
			continue
		}
		way := ways[0][1:]
		joined := strings.Contains(args[at], "=")
		needsValue := strings.Contains(strings.ReplaceAll(way, "(VALUE)", ""), "VALUE")
		given := len(words) - 1 // without the command
		if needsValue && !joined {
			given--
		}
		missing := needsValue && !joined && !slices.Contains(words, at+1) && (at+1 == len(args) || !takesNextWord(cmd, args[at]))
		if !missing && (way != ". VALUE" || given < 2 || words[1] > at) {
			return at, way
		}
	}
	return 0, ""
}

// splitWords returns the places of the flags in the arguments of a command, and those of the other words without the
// values of known flags. It stops at "--". A word with blanks is a text.
func splitWords(cmd *cobra.Command, args []string) (flags, words []int) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if len(args[i]) < 2 || args[i][0] != '-' || strings.ContainsAny(args[i], " \n") {
			words = append(words, i)
			continue
		}
		flags = append(flags, i)
		if takesNextWord(cmd, args[i]) {
			i++
		}
	}
	return flags, words
}

// takesNextWord reports whether the word behind a flag is its value.
func takesNextWord(cmd *cobra.Command, flag string) bool {
	f := flagOf(cmd, flag)
	return f != nil && f.NoOptDefVal == "" && !strings.Contains(flag, "=") && (len(flag) == 2 || flag[1] == '-')
}

// flagName returns the name in a word such as --file=x.
func flagName(word string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	return name
}

// meaningsOfFlag returns the third columns of the rows of [flagTable] for a flag that a command does not have, or for
// its value. A row that names the command counts for a hidden flag, too, because the environment sets hidden flags. A
// flag in camelCase or snake_case has the meaning of the flag with hyphens.
func meaningsOfFlag(cmd *cobra.Command, args []string, at int) (meant []string) {
	typed := strings.Replace(strings.Join(args[at:min(at+2, len(args))], "="), "=", " ", 1)
	flag, value, _ := strings.Cut(typed, " ")
	value, _, _ = strings.Cut(value, "=")
	if hyphened := withHyphens(flag); !hasFlag(cmd, flag) && hasFlag(cmd, hyphened) {
		return []string{"=" + hyphened}
	} else if !hasFlag(cmd, flag) {
		flag = hyphened
	}
	for _, wanted := range []string{flag + "=" + strings.ToLower(value), flag} {
		for _, c := range flagRows() {
			if c[0] != "*" && !slices.Contains(strings.Fields(c[0]), cmd.Name()) || !slices.Contains(strings.Fields(c[1]), wanted) ||
				wanted == flag && isShownFlag(cmd, flag, c[0]) {
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

// withHyphens returns a flag such as --maxHandoffs or --max_handoffs as --max-handoffs.
func withHyphens(flag string) string {
	if name, long := strings.CutPrefix(flag, "--"); long {
		return "--" + strings.ReplaceAll(schemas.SnakeCase(name), "_", "-")
	}
	return flag
}

// isShownFlag reports whether a command has a flag that no row for these commands replaces.
func isShownFlag(cmd *cobra.Command, flag, commands string) bool {
	return hasFlag(cmd, flag) && (commands == "*" || !flagOf(cmd, flag).Hidden)
}

// flagOf returns the flag of a command for a word such as --file=x or -m, or nil.
func flagOf(cmd *cobra.Command, word string) *pflag.Flag {
	if strings.HasPrefix(word, "--") {
		return cmd.Flag(flagName(word))
	}
	return cmd.Flags().ShorthandLookup(word[1:2])
}

// hasFlag reports whether a command has a flag. Any other word is none that it lacks.
func hasFlag(cmd *cobra.Command, word string) bool {
	return len(word) < 2 || word[0] != '-' || flagOf(cmd, word) != nil
}

// replaceFlag returns the arguments of a command with a meaning in place of the flag, see [flagTable].
func replaceFlag(cmd *cobra.Command, args []string, at int, way string) []string {
	flag, value, joined := strings.Cut(args[at], "=")
	rest := args[at+1:]
	if strings.Contains(way, "VALUE") && !joined && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		value, rest = rest[0], rest[1:]
	}
	value = cmp.Or(value, "VALUE") // to be filled in
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
	before := programFlags(root, args)
	if before < len(args) && args[before] == "exec" { // its flags before -- are of the command behind it
		before++
	}
	lines, lost = linesWithout(root, args[before:], maxReplaced)
	return schemas.Map(lines, func(line []string) []string { return slices.Concat(args[:before], line) }), lost
}

// linesWithout returns the lines of [linesMeant], for which it replaces so many unknown flags.
func linesWithout(root *cobra.Command, args []string, flags int) (lines [][]string, lost []string) {
	args = acceptFlags(root, args)
	cmd, _, _ := root.Find(args)
	unknown := unknownFlags(cmd, args)
	if len(unknown) == 0 || cmd == root || flags == 0 {
		return [][]string{args}, nil
	}
	at := unknown[0]
	ways := meaningsOfFlag(cmd, args, at)
	if len(ways) == 0 {
		ways = likelyFlags(cmd, args[at])
	}
	if len(ways) == 0 {
		lost, ways = []string{args[at]}, []string{". (VALUE)"}
	}
	for _, way := range ways {
		more, without := linesWithout(root, replaceFlag(cmd, args, at, strings.TrimPrefix(way, "=")), flags-1)
		lines, lost = append(lines, more...), append(lost, without...)
	}
	return lines, lost
}

// unknownFlags returns the places of the flags that a command does not have.
func unknownFlags(cmd *cobra.Command, args []string) []int {
	flags, _ := splitWords(cmd, args)
	return slices.DeleteFunc(flags, func(at int) bool { return hasFlag(cmd, args[at]) })
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

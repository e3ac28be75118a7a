package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/schemas/closest"
)

// ExitStatus is the error of a command that has already printed its message. The program ends with this status and
// prints no further message.
type ExitStatus int

func (e ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ExitErrorUnless returns the error `printed` if it is not nil. Otherwise it returns nil if well is true, and the exit
// status of the code if well is false.
func ExitErrorUnless(well bool, code schemas.Code, printed error) error {
	if printed != nil || well {
		return printed
	}
	return ExitStatus(schemas.Codes[code].Exit)
}

// Report prints an error, also as JSON with --json, and returns the exit status.
func (a *App) Report(cmd *cobra.Command, err error) int {
	var exit ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	coded := a.codedError(cmd, err)
	if b, err := json.Marshal(coded); a.JSON && err == nil { // as a refused tool call answers
		fmt.Fprintln(a.Stdout, EscapedJSON(b))
	}
	a.PrintError(coded, a.remedies(cmd, coded)...)
	return schemas.Codes[coded.Code].Exit
}

// remedies returns the remedies of an error: its hint, the flag for a missing argument, and its advised calls as
// command lines. The exception is the command "call", for which the advised calls stay calls of tools.
func (a *App) remedies(cmd *cobra.Command, e *schemas.Error) []string {
	ways, render := []string{e.Hint}, a.FormatAdvice
	if isNameMissingError(e) && a.Agent == "" {
		ways = append(ways, identity.NoNameError().Hint)
	}
	ways = append(slices.Compact(ways), a.argumentUsage(cmd, e.Field))
	if cmd.Name() == "call" {
		render = schemas.Advice.String
	}
	return append(ways, schemas.Map(e.Next, render)...)
}

// argumentUsage says how to give a command an argument that no single flag sets.
func (a *App) argumentUsage(cmd *cobra.Command, argument string) string {
	for _, s := range a.Spellings() {
		if how := s.Usage[argument]; how != "" && "handoff "+s.Command == cmd.CommandPath() {
			return how
		}
	}
	return ""
}

// codedError returns the coded error within err. Errors of handoff always have a code. For an error of the flag parser
// it makes a coded error.
func (a *App) codedError(cmd *cobra.Command, err error) *schemas.Error {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return e
	}
	if e := a.unknownFlagsError(cmd, err); e != nil {
		return e
	}
	text := strings.TrimSpace(err.Error())
	if flags, together := strings.CutSuffix(text, "] were all set"); together {
		set := strings.Fields(flags[strings.LastIndex(flags, "[")+1:])
		text = "--" + strings.Join(set, " and --") + " exclude each other: give one of them"
	} else if strings.Contains(text, "arg(s)") {
		text = "the number of words is wrong, write: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
	}
	e := schemas.Errorf(schemas.Invalid, "%s", text).
		WithHint("%s --help shows how it is used.", cmd.CommandPath())
	if id, ok := schemas.ParseID(cmd.Flags().Arg(0)); ok && strings.HasPrefix(err.Error(), "unknown command") {
		return e.WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: id.String(), View: "events"}, "tells what happened to it"))
	}
	return e
}

// PrintError prints an error for people, with remedies in the words of commands.
func (a *App) PrintError(e *schemas.Error, ways ...string) {
	say := func(format, text string) {
		fmt.Fprintf(a.Stderr, format, strings.ReplaceAll(schemas.EscapeHidden(text), "\n", "\n    "))
	}
	say("handoff: %s\n", e.Error())
	if len(e.Known) > 0 && !strings.Contains(strings.Join(ways, " "), e.Known[0]) {
		say("  Known: %s\n", strings.Join(e.Known, ", "))
	}
	for _, way := range ways {
		if way != "" {
			say("  %s\n", way)
		}
	}
}

// IsNoticeID reports whether an id is the id of a notice ("no_7").
func IsNoticeID(id string) bool { return strings.HasPrefix(id, "no_") }

// NewNoticeIDError returns the error for a notice id in a place where only the id of a handoff is allowed.
func NewNoticeIDError(id, lacks string) error {
	id = schemas.EscapeHidden(schemas.Clip(id, 80))
	return schemas.Invalidf("ID", "%s is a notice: it %s", id, lacks).
		WithNext(schemas.AdviseCall(schemas.GetIn{HandoffID: id}, "reads it"))
}

// AddSubcommands makes cmd a command that only has others below it.
func AddSubcommands(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = RequireSubcommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// RequireSubcommand checks the arguments of a command that only has subcommands. It refuses a word that is no
// subcommand.
func RequireSubcommand(cmd *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	return unknownCommandError(cmd, given, nil)
}

// unknownCommandError returns the error for words that are no subcommand of a command, with the command lines that may
// be meant. If there are none, it suggests subcommands of similar spelling.
func unknownCommandError(cmd *cobra.Command, given []string, meant [][]string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if len(meant) == 0 {
		meant = schemas.Map(closest.LikelyNames(given[0], names), func(name string) []string {
			return slices.Concat(strings.Fields(cmd.CommandPath())[1:], []string{name}, given[1:])
		})
	}
	typed := cmd.CommandPath() + " " + schemas.EscapeHidden(schemas.Clip(given[0], 40))
	return addSuggestion(schemas.Invalidf("", "there is no command %q", typed), cmd, "", meant)
}

// commandLineOf returns the arguments of the program as a command line. An explanation behind them stays as it is.
func commandLineOf(args []string) string {
	explanation := ""
	if last := len(args) - 1; last > 0 && strings.HasPrefix(args[last], "(") {
		args, explanation = args[:last], " "+args[last]
	}
	return schemas.EscapeHidden("handoff "+shell.JoinWords(args)) + explanation
}

// unknownFlagsError returns the error for the flags that a command does not have, with the command lines that may be
// meant. It returns nil if err is another error.
func (a *App) unknownFlagsError(cmd *cobra.Command, err error) *schemas.Error {
	if _, ok := errors.AsType[*pflag.NotExistError](err); !ok {
		return nil
	}
	flags := schemas.Map(unknownFlags(cmd, a.Args), func(at int) string { return a.Args[at] })
	lines, lost := linesMeant(cmd.Root(), a.Args)
	lines = slices.DeleteFunc(lines, func(line []string) bool { return slices.Equal(line, a.Args) })
	lost = slices.DeleteFunc(schemas.Unique(lost), func(flag string) bool { return !slices.Contains(flags, flag) })
	before := ""
	if len(lost) > 0 {
		before = "Leave " + strings.Join(lost, ", ") + " out"
		if cmd.Flags().Lookup("detail") != nil {
			before += ", or write it into --detail"
		}
		before += ". "
	}
	return addSuggestion(schemas.Invalidf("", "unknown flag: %s", schemas.EscapeHidden(strings.Join(flags, ", "))), cmd, before, lines)
}

// addSuggestion adds command lines that may be meant to an error, and the command that shows all names.
func addSuggestion(e *schemas.Error, cmd *cobra.Command, before string, meant [][]string) *schemas.Error {
	help := cmd.CommandPath() + " --help shows what there is."
	if cmd.Flags().Lookup(helpAll) != nil {
		help = cmd.CommandPath() + " --" + helpAll + " shows what there is."
	}
	var lines []string
	for _, line := range meant {
		known, _ := linesMeant(cmd.Root(), line)
		lines = append(lines, schemas.Map(known, commandLineOf)...)
	}
	lines = schemas.Unique(lines)
	if len(lines) > 0 {
		before += "Did you mean " + strings.Join(lines[:min(len(lines), 3)], " or ") + "? "
	}
	return e.WithHint("%s%s", before, help)
}

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
	"handoff/schemas"
	"handoff/schemas/closest"
)

// Exit is the error of a command that has said all there is to say: the program ends with this status and
// without a message.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Unless gives the exit status of a code for a result that was printed and is not well. An error of printing comes first.
func Unless(well bool, code schemas.Code, printed error) error {
	if printed != nil || well {
		return printed
	}
	return Exit(schemas.Codes[code].Exit)
}

// Report writes an error where its reader looks for it and gives the exit status.
func (a *App) Report(cmd *cobra.Command, err error) int {
	var exit Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	coded := coded(cmd, err)
	if b, err := json.Marshal(coded); a.JSON && err == nil { // as a tool call answers that is refused
		fmt.Fprintln(a.Stdout, Inert(b))
	}
	a.PrintError(coded, a.ways(cmd, coded)...)
	return schemas.Codes[coded.Code].Exit
}

// ways are the ways out of an error: what it says, how this command is told what it asks for, and its calls as command
// lines. Who calls a tool is told of tools.
func (a *App) ways(cmd *cobra.Command, e *schemas.Error) []string {
	ways, render := []string{e.Hint}, a.Advice
	if needsName(e) && a.Agent == "" {
		ways = append(ways, identity.Missing().Hint)
	}
	ways = append(slices.Compact(ways), a.told(cmd, e.Field))
	if cmd.Name() == "call" {
		render = schemas.Advice.String
	}
	return append(ways, schemas.Map(e.Next, render)...)
}

// told says how a command is told an argument that no single flag gives.
func (a *App) told(cmd *cobra.Command, argument string) string {
	for _, s := range a.Spellings {
		if how := s.Told[argument]; how != "" && "handoff "+s.Command == cmd.CommandPath() {
			return how
		}
	}
	return ""
}

// coded gives the coded error within err. All of ours are; others are of the flag parser.
func coded(cmd *cobra.Command, err error) *schemas.Error {
	if e, ok := errors.AsType[*schemas.Error](err); ok {
		return e
	}
	if e := unknownFlag(cmd, err); e != nil {
		return e
	}
	return schemas.Errorf(schemas.Invalid, "%s", strings.TrimSpace(err.Error())).
		WithHint("%s --help shows how it is used.", cmd.CommandPath())
}

// PrintError prints an error for people, with the ways out in the words of commands.
func (a *App) PrintError(e *schemas.Error, ways ...string) {
	say := func(format, text string) {
		fmt.Fprintf(a.Stderr, format, strings.ReplaceAll(schemas.Visible(text), "\n", "\n    "))
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

// IsNotice tells the id of a notice, as no_7, which is read, from that of a handoff, which is worked on.
func IsNotice(id string) bool { return strings.HasPrefix(id, "no_") }

// OnlyRead refuses a notice where only a handoff will do.
func OnlyRead(id, lacks string) error {
	id = schemas.Visible(schemas.Clip(id, 80))
	return schemas.Invalidf("ID", "%s is a notice: it %s", id, lacks).
		WithNext(schemas.Call(schemas.GetIn{HandoffID: id}, "reads it"))
}

// Group is a command that only has others below it.
func Group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.Args = OnlyBelow
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// OnlyBelow is what the arguments are of a command that has others below it and none itself: a word that is no command
// is refused, with those that may be meant.
func OnlyBelow(cmd *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	var names, meant []string
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		names = append(names, sub.Name())
		if slices.Contains(sub.SuggestFor, strings.ToLower(given[0])) {
			meant = append(meant, sub.Name())
		}
	}
	meant = schemas.Unique(append(meant, closest.Likely(given[0], names)...))
	before := cmd.CommandPath() + " "
	typed := before + schemas.Visible(schemas.Clip(given[0], 40))
	return orMeant(schemas.Invalidf("", "there is no command %q", typed), cmd, before, meant)
}

// unknownFlag says which flag of a command may be meant by one that it does not have, if err is about that; nil if not.
func unknownFlag(cmd *cobra.Command, err error) *schemas.Error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return nil
	}
	if words := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(words) > 0 && cmd.ValidateArgs(words) != nil {
		return schemas.AsError(cmd.ValidateArgs(words)) // the flag is that of a command that there is not
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	var meant []string
	if name := unknown.GetSpecifiedName(); len(name) > 1 {
		meant = closest.Likely(name, names)
	}
	return orMeant(schemas.Invalidf("", "%s", schemas.Visible(err.Error())), cmd, "--", meant)
}

// orMeant adds to an error what may be meant, three at most, and where the rest is told.
func orMeant(e *schemas.Error, cmd *cobra.Command, before string, meant []string) *schemas.Error {
	help := cmd.CommandPath() + " --help shows what there is."
	if cmd.Flags().Lookup(helpAll) != nil {
		help = cmd.CommandPath() + " --" + helpAll + " shows what there is."
	}
	if len(meant) == 0 {
		return e.WithHint("%s", help)
	}
	meant = schemas.Map(meant, func(name string) string { return before + name })
	return e.WithHint("Did you mean %s? %s", strings.Join(meant[:min(len(meant), 3)], " or "), help)
}

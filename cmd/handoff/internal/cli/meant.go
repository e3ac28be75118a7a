package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
	"handoff/schemas/closest"
)

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
	for _, name := range closest.Meant(given[0], names) {
		if !slices.Contains(meant, name) {
			meant = append(meant, name)
		}
	}
	typed := schemas.Visible(schemas.Clip(given[0], 40))
	return orMeant(schemas.Invalidf("", "there is no command %q", cmd.CommandPath()+" "+typed), cmd, cmd.CommandPath()+" ", meant)
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
		meant = closest.Meant(name, names)
	}
	return orMeant(schemas.Invalidf("", "%s", schemas.Visible(err.Error())), cmd, "--", meant)
}

// orMeant adds to an error what may be meant, three at most, and where the rest is told.
func orMeant(e *schemas.Error, cmd *cobra.Command, before string, meant []string) *schemas.Error {
	help := cmd.CommandPath() + " --help shows what there is."
	if len(meant) == 0 {
		return e.WithHint("%s", help)
	}
	for i, name := range meant {
		meant[i] = before + name
	}
	return e.WithHint("Did you mean %s? %s", strings.Join(meant[:min(len(meant), 3)], " or "), help)
}

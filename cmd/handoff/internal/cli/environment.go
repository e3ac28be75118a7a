package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// configuration is the annotation of a flag that may be set in the environment.
const configuration = "handoff_configuration"

// FromEnvironment lets the flags of a set be set in the environment, where a command line does not give them:
// --lease-max by HANDOFF_LEASE_MAX. Other flags are what a call says: a variable that was left behind must not turn
// a note into a redirection.
func FromEnvironment(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { _ = flags.SetAnnotation(f.Name, configuration, nil) }) // there is such a flag
}

// FromEnvironment sets those flags of a command that were not given and that the environment sets.
func (a *App) FromEnvironment(cmd *cobra.Command) error {
	unset := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[configuration]; ok && !f.Changed {
			unset.AddFlag(f)
		}
	})
	var errs []error
	unset.VisitAll(func(f *pflag.Flag) {
		variable := "HANDOFF_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := a.Getenv(variable)
		if value == "" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			wrong := schemas.Invalidf(variable, "%w", err)
			if said, ok := errors.AsType[*schemas.Error](err); ok {
				wrong = wrong.WithHint("%s", said.Hint)
			}
			errs = append(errs, wrong)
		}
	})
	return errors.Join(errs...)
}

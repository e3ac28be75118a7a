package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// fill sets the flags of every command and those of keeping that were not given from the environment:
// --lease-max from HANDOFF_LEASE_MAX. The other flags are what a call says: a variable that was left behind
// must not turn a note into a redirection.
func (a *app) fill(cmd *cobra.Command) error {
	configuration := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(keeping).bind(configuration)
	new(network).bind(configuration)
	new(logging).bind(configuration)
	configuration.AddFlagSet(cmd.Root().PersistentFlags())
	var errs []error
	configuration.VisitAll(func(f *pflag.Flag) {
		variable := "HANDOFF_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, flag := a.getenv(variable), cmd.Flags().Lookup(f.Name)
		if flag == nil || flag.Changed || value == "" || own(cmd, flag) || flag.Usage != f.Usage { // another of that name
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

// own tells whether a command has a flag of its own in the place of one that every command has.
func own(cmd *cobra.Command, flag *pflag.Flag) bool {
	of := cmd.Root().PersistentFlags().Lookup(flag.Name)
	return of != nil && of != flag
}

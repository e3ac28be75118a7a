package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/schemas"
)

// fill sets the flags that were not given from the environment: --lease-max from HANDOFF_LEASE_MAX.
func (a *app) fill(cmd *cobra.Command) error {
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		variable := "HANDOFF_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := a.getenv(variable)
		if f.Changed || value == "" || f.Name == "help" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			errs = append(errs, schemas.Invalidf(variable, "%w", err))
		}
	})
	return errors.Join(errs...)
}

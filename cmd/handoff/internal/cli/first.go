package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notFirst is the annotation of a flag that only --help-all shows.
const notFirst = "handoff_not_first"

// helpAll is the flag that shows all flags of a command of many.
const helpAll = "help-all"

// First has --help of a command of many flags show those that a first use wants, and gives it --help-all for the others.
// Shells complete all of them.
func First(cmd *cobra.Command, names ...string) {
	more := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) || f.Hidden {
			return
		}
		_ = cmd.Flags().SetAnnotation(f.Name, notFirst, nil) // there is such a flag
		more++
	})
	cmd.Flags().BoolFunc(helpAll, fmt.Sprintf("help with %d more flags", more), func(string) error { return cmd.Flags().Set("help", "true") })
}

// Help is the help of a command, as its templates print it, without the flags that [First] leaves to --help-all.
func Help(print func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if all := cmd.Flags().Lookup(helpAll); all != nil && !all.Changed {
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				_, later := f.Annotations[notFirst]
				f.Hidden = f.Hidden || later
			})
		}
		print(cmd, args)
	}
}

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
)

// offer has the arguments and the flags of a command, and of those below it, completed by the table.
func offer(a *cli.App, cmd *cobra.Command) {
	cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	path := pathOf(cmd)
	if c := completions[path]; c != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(given) > 0 && !alike(cmd) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeWord(a, cmd, c, typed)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // the quotes name the value, for help
		if c := completerOf(path, f.Name); c != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return completeWord(a, cmd, c, typed)
			}) // refused only for a flag that is not there, or has one already
		}
	})
	for _, sub := range cmd.Commands() {
		offer(a, sub)
	}
}

// alike tells whether a command takes any number of arguments of one kind, as in "setup [CLIENT...]".
func alike(cmd *cobra.Command) bool {
	usage := strings.Fields(cmd.Use)[1:]
	return len(usage) == 1 && (strings.Contains(usage[0], "...") || strings.Contains(usage[0], "…"))
}

// pathOf names a command as the table does.
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// completerOf is that of a flag of the command at a path; nil if there is none.
func completerOf(path, flag string) completer {
	if c := completions[path+" --"+flag]; c != nil {
		return c
	}
	return completions["--"+flag]
}

// completeWord gives what a word may become, in the place and under the name that the command line or the
// environment says.
func completeWord(a *cli.App, cmd *cobra.Command, c completer, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.FromEnvironment(cmd) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c(cmd.Context(), a, typed)
}

// Package completion lets a shell complete commands, flags, ids and names.
//
// Command prints the script of a shell. When a key is pressed that script runs handoff once more, which answers from the
// table: a row for the first argument of a command, for a flag wherever it is, or for the flag of one command. What a
// row offers is read from the workspace, if there is one: nothing is made, marked as read or said about it, and what
// takes longer than somebody waits for a key is left out.
package completion

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// Offer has the arguments and the flags of all commands completed by the table. It gives the rows of the table that
// are about no command and no flag.
func Offer(a *cli.App, root *cobra.Command) (unused []string) {
	rows := maps.Clone(completions)
	offerBelow(a, root, rows)
	return slices.Sorted(maps.Keys(rows))
}

// offerBelow does so for a command and those below it, and takes the rows that it uses out of unused.
func offerBelow(a *cli.App, cmd *cobra.Command, unused map[string]completer) {
	cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	path := pathOf(cmd)
	if c := completions[path]; c != nil {
		delete(unused, path)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(given) > 0 && !alike(cmd) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeWord(a, cmd, c, typed)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // the quotes name the value, for help
		row := rowOf(path, f.Name)
		c := completions[row]
		if c == nil {
			return
		}
		delete(unused, row)
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeWord(a, cmd, c, typed)
		}) // refused only for a flag that is not there, or has one already
	})
	for _, sub := range cmd.Commands() {
		offerBelow(a, sub, unused)
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

// rowOf is the row that is about a flag of the command at a path, if there is one.
func rowOf(path, flag string) string {
	if row := path + " --" + flag; completions[row] != nil {
		return row
	}
	return "--" + flag
}

// completeWord gives what a word may become, in the place and under the name that the command line or the
// environment says.
func completeWord(a *cli.App, cmd *cobra.Command, c completer, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.FromEnvironment(cmd) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c(cmd.Context(), a, typed)
}

// completions say with what a shell completes the first argument of a command, as "claim", and the others if they are
// alike; a flag of every command that has it, as "--agent"; or the flag of one command where others mean something
// else by it, as "fail --type".
var completions = map[string]completer{
	"agents register":  agents,
	"approve":          openHandoffs,
	"call":             toolNames,
	"cancel":           openHandoffs,
	"claim":            openHandoffs,
	"complete":         openHandoffs,
	"completion":       words(shells...),
	"doctor":           clientNames,
	"fail":             openHandoffs,
	"history":          chains,
	"hook":             words(client.Events...),
	"refuse":           openHandoffs,
	"send":             recipients,
	"setup":            clientNames,
	"show":             openHandoffs,
	"token revoke":     tokenNames,
	"update":           openHandoffs,
	"wait":             openHandoffs,
	"workspace adopt":  workspaceNames,
	"workspace remove": workspaceNames,

	"--after":       commaSeparated(openHandoffs),
	"--agent":       agents,
	"--agents":      commaSeparated(agents),
	"--alternative": agents,
	"--box":         words("inbox", "claimed", "sent", "notices", "all"),
	"--capability":  capabilities,
	"--dir":         directories,
	"--file":        files,
	"--for":         agents,
	"--log-format":  words("text", "json"),
	"--log-level":   words("debug", "info", "warn", "error"),
	"--next":        recipients,
	"--no-takers":   words("wait", "return", "generalist", "human"),
	"--on-failure":  recipients,
	"--parent":      openHandoffs,
	"--priority":    words(schemas.Priorities...),
	"--role":        roles,
	"--agent-role":  roles,
	"--rollback-to": agents,
	"--status":      words(schemas.Statuses...),
	"--strategy":    words("full", "summary", "reference"),
	"--then":        words("rollback", "retry", "escalate", "stop"),
	"--tls-cert":    files,
	"--tls-key":     files,
	"--to":          recipients,
	"--type":        workTypes,
	"--workflow":    workflows,
	"--workspace":   workspaceNames,

	"fail --type":       words("blocker", "missing_information", "capability", "test_failure", "environment", "timeout", "policy"),
	"hook --client":     words(client.WithHooks()...),
	"setup --scope":     words(client.User, client.Project),
	"token add --scope": words(schemas.ScopeRead, schemas.ScopeAgent, schemas.ScopeAdmin),
}

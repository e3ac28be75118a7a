// Package completion lets a shell complete commands, flags, ids and names.
//
// The command completion prints a script for a shell. On a key press the script runs handoff, which looks for a
// completer in a table. The table has completers for the arguments of a command, for a flag of all commands, and for a
// flag of one command. The completers read the workspace, if there is one. Completion creates no workspace, marks no
// notice as read and reports no errors. It leaves out words that it cannot find within [keyTimeout].
package completion

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// completionRow is a completer with its arguments and flags.
type completionRow struct {
	by   completer
	rows []string
}

// completionTable returns the completers with the keys of their rows. A key is a command for its arguments ("claim"), a
// flag of all commands ("--agent"), or a flag of one command ("fail --type").
func completionTable() []completionRow {
	return []completionRow{
		{openHandoffs, []string{"answer", "approve", "assign", "cancel", "diff", "refuse", "claim", "complete", "edit", "fail", "redact", "update", "show", "wait"}},
		{openHandoffs, []string{"--parent"}},
		{completeCommaList(openHandoffs), []string{"--after", "--after-accepted"}},
		{openHandoffsAndWorkflows, []string{"history"}},
		{workflows, []string{"list", "--workflow"}},
		{completePlannedWorkflows, []string{"workflow start"}},
		{agents, []string{"agents", "agents register", "assign --from", "--agent", "--alternative", "--by", "--for", "--rollback-to"}},
		{completeCommaList(agents), []string{"token add --agents"}},
		{recipients, []string{"send", "--join", "--next", "--on-failure", "--review", "--to"}},
		{roles, []string{"--role", "--agent-role"}},
		{capabilities, []string{"--capability"}},
		{workTypes, []string{"--type"}},
		{tokenNames, []string{"token revoke"}},
		{completeWorkspaceNames, []string{"workspace adopt", "workspace remove", "--workspace"}},
		{completeToolNames, []string{"call"}},
		{completeWords(client.Names()...), []string{"doctor", "setup"}},
		{completeWords(client.NamesWithHooks()...), []string{"hook --client"}},
		{completeWords(client.Events...), []string{"hook"}},
		{completeWords(shells...), []string{"completion"}},

		{completeWords("inbox", "claimed", "sent", "notices", "all"), []string{"--box"}},
		{completeWords("text", "json"), []string{"--log-format"}},
		{completeWords("debug", "info", "warn", "error"), []string{"--log-level"}},
		{completeWords("observed", "claimed"), []string{"--evidence"}},
		{completeWords(schemas.Priorities...), []string{"--priority"}},
		{completeWords(schemas.Statuses...), []string{"--status"}},
		{completeWords("full", "summary", "reference"), []string{"--strategy"}},
		{completeWords("rollback", "retry", "escalate", "stop"), []string{"--then"}},
		{completeWords("blocker", "missing_information", "capability", "test_failure", "environment", "timeout", "policy"), []string{"fail --type"}},
		{completeWords(client.User, client.Project), []string{"setup --scope"}},
		{completeWords("postgres://"), []string{"serve --store"}},
		{completeWords(schemas.ScopeRead, schemas.ScopeAgent, schemas.ScopeAdmin), []string{"token add --scope"}},
	}
}

// fileFlags are flags whose values are names of files, which shells complete by themselves. fileCommands are commands
// whose arguments are names of files.
var (
	fileFlags    = []string{"--file", "--from-log", "--tls-cert", "--tls-key", "mcp --agents", "serve --agents"}
	fileCommands = []string{"agents check", "agents import", "capture", "exec", "render", "rules test"}
)

// AddCompletions adds the completions of the table to the arguments and the flags of all commands below root.
func AddCompletions(a *cli.App, root *cobra.Command) {
	rows := map[string]cobra.CompletionFunc{"--dir": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)}
	for _, flag := range fileFlags {
		rows[flag] = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	for _, t := range completionTable() {
		for _, row := range t.rows {
			rows[row] = completionFunc(a, t.by)
		}
	}
	addCompletionsBelow(a, root, rows)
}

// addCompletionsBelow does the same for a command and its subcommands.
func addCompletionsBelow(a *cli.App, cmd *cobra.Command, rows map[string]cobra.CompletionFunc) {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.Contains(fileCommands, path) {
		directive = cobra.ShellCompDirectiveDefault
	}
	cmd.CompletionOptions.SetDefaultShellCompDirective(directive)
	if offer := rows[path]; offer != nil {
		cmd.ValidArgsFunction = offer
		if !hasUniformArguments(cmd) {
			cmd.ValidArgsFunction = completeFirstArgument(offer)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // the quotes name the value, for help
		offer := rows[path+" --"+f.Name]
		if offer == nil {
			offer = rows["--"+f.Name]
		}
		if choices := f.Annotations[cli.Choices]; offer == nil && choices != nil {
			offer = completionFunc(a, completeWords(choices...))
		}
		if offer != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer) // refused only for a flag that is missing, or has a completion
		}
	})
	for _, sub := range cmd.Commands() {
		addCompletionsBelow(a, sub, rows)
	}
}

// completeFirstArgument completes the first argument, and no other.
func completeFirstArgument(offer cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(given) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return offer(cmd, given, typed)
	}
}

// hasUniformArguments reports whether a command takes any number of arguments of one kind ("setup [CLIENT...]").
func hasUniformArguments(cmd *cobra.Command) bool {
	usage := strings.Fields(cmd.Use)[1:]
	return len(usage) == 1 && (strings.Contains(usage[0], "...") || strings.Contains(usage[0], "…"))
}

// completionFunc returns the completion function of a completer. It takes the workspace and the agent name from the
// command line or the environment. The shell keeps the order of the words, and adds no names of files.
func completionFunc(a *cli.App, c completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) (kept []cobra.Completion, _ cobra.ShellCompDirective) {
		if a.SetFlagsFromEnvironment(cmd) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, word := range c(cmd.Context(), a, typed) {
			if strings.HasPrefix(word, typed) { // shells drop the others as well; this saves sending them
				kept = append(kept, word)
			}
		}
		return kept, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

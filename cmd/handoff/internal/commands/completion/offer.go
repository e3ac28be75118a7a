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
	"handoff/tools"
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
		{openHandoffs, []string{"answer", "approve", "assign", "cancel", "diff", "refuse", "claim", "complete", "edit", "fail", "redact", "update", "show", "wait", "watch"}},
		{openHandoffs, []string{"--parent", "--after", "--after-accepted"}},
		{workflows, []string{"history", "list", "--workflow"}},
		{agents, []string{"agents", "agents register", "assign --from", "run", "send", "token add --agents"}},
		{agents, []string{"--agent", "--alternative", "--by", "--for", "--join", "--next", "--on-failure", "--review", "--rollback-to", "--to"}},
		{completeWorkspaceNames, []string{"workspace adopt", "workspace remove", "--workspace"}},
		{files, []string{"--file", "--from-log", "--tls-cert", "--tls-key", "mcp --agents", "serve --agents"}},
		{completeWords(schemas.Map(tools.Table(), func(t tools.Tool) string { return t.Name })...), []string{"call"}},
		{completeWords(client.Names()...), []string{"doctor", "setup"}},
		{completeWords(client.NamesWithHooks()...), []string{"hook --client"}},
		{completeWords(client.Events...), []string{"hook"}},
		{completeWords(shells...), []string{"completion"}},

		{completeWords("inbox", "claimed", "sent", "notices", "all"), []string{"--box"}},
		{completeWords("text", "json"), []string{"--log-format"}},
		{completeWords("debug", "info", "warn", "error"), []string{"--log-level"}},
		{completeWords("observed", "claimed"), []string{"--evidence"}},
		{completeWords("wait", "return", "generalist", "human"), []string{"--no-takers"}},
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

// files stands for values that are names of files, which shells complete by themselves. The arguments of fileCommands
// are names of files, too.
var (
	files        completer
	fileCommands = []string{"agents check", "agents import", "capture", "exec", "render", "rules test"}
)

// AddCompletions adds the completions of the table to the arguments and the flags of all commands below root.
func AddCompletions(a *cli.App, root *cobra.Command) {
	rows := map[string]cobra.CompletionFunc{"--dir": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)}
	for _, t := range completionTable() {
		for _, row := range t.rows {
			rows[row] = completionFunc(a, t.by)
		}
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	addCompletionsBelow(root, rows)
}

// addCompletionsBelow does the same for a command and its subcommands.
func addCompletionsBelow(cmd *cobra.Command, rows map[string]cobra.CompletionFunc) {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if slices.Contains(fileCommands, path) {
		cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	}
	if offer := rows[path]; offer != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(given) > 0 && !hasUniformArguments(cmd) { // only the first argument has these words
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(cmd, given, typed)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		_, f.Usage = pflag.UnquoteUsage(f) // the quotes name the value, for help
		offer := rows[path+" --"+f.Name]
		if offer == nil {
			offer = rows["--"+f.Name]
		}
		if offer != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, offer) // refused only for a flag that is missing, or has a completion
		}
	})
	for _, sub := range cmd.Commands() {
		addCompletionsBelow(sub, rows)
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
	if c == nil { // see files
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
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

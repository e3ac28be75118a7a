package clients

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// setupFlags are the flags of setup.
type setupFlags struct {
	all, yes, noHooks            bool
	dryRun, print, check, remove bool
	scope                        string
	options                      setup.Options
	isSet                        func(flag string) bool
}

// SetupCommand returns the command handoff setup. It writes handoff into the files of clients, or removes it, after a
// person agreed. A second call with the same flags changes nothing. If the process dies between two files, another
// setup, or an undo, continues with the remaining files.
func SetupCommand(a *cli.App) *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:     "setup [CLIENT...]",
		Short:   "Write handoff into the configuration of the clients on this machine, or take it out",
		Example: cli.HelpText(helpTexts, "setup_examples"),
		Long:    cli.HelpText(helpTexts, "setup", strings.Join(client.Names(), ", ")),
		RunE: func(cmd *cobra.Command, names []string) error {
			f.isSet = func(flag string) bool { return cmd.Flag(flag).Changed }
			f.options.Call.Agent, f.options.Call.Workspace = a.Agent, a.Workspace
			return runSetup(cmd.Context(), a, f, names)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "all known clients, also clients that are not found here")
	flags.StringVar(&f.scope, "scope", string(client.User), "`scope`: user, or project for everybody in this project")
	flags.StringVar(&f.options.Server.URL, "http", "", "reach the server at this `URL`, such as https://example.com/mcp")
	flags.StringVar(&f.options.Server.TokenEnv, "token-env", "",
		"`variable` of the environment that holds the token, as HANDOFF_TOKEN")
	flags.BoolVar(&f.options.Hooks, "hooks", false, "with hooks (the default, but not with --http)")
	flags.BoolVar(&f.noHooks, "no-hooks", false, "without hooks")
	flags.BoolVar(&f.options.Call.Wake, "wake", false, "wake a sleeping session when a handoff arrives, if the client can")
	flags.BoolVar(&f.options.Server.Trust, "trust", false, "let the tools run without a question, if the client has a setting for it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show changes, line by line")
	flags.BoolVar(&f.print, "print", false, "print the entry for each file, to paste it")
	flags.BoolVar(&f.check, "check", false, "only report whether it is set up, for the user or in the project, and try the server")
	flags.BoolVar(&f.remove, "remove", false, "take handoff out")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "print", "check")
	cmd.MarkFlagsMutuallyExclusive("print", "remove")
	cmd.MarkFlagsMutuallyExclusive("check", "remove")
	cmd.MarkFlagsMutuallyExclusive("hooks", "no-hooks")
	return cmd
}

func runSetup(ctx context.Context, a *cli.App, f setupFlags, names []string) (err error) {
	s := &setupRun{App: a, flags: f, namedByUser: len(names) > 0}
	s.base.Scope = client.Scope(f.scope)
	if s.base.Scope != client.User && s.base.Scope != client.Project {
		return schemas.Invalidf("--scope", "%q is no scope", schemas.EscapeHidden(f.scope)).WithHint("Write user or project.")
	}
	if s.base.Machine, err = describeMachine(a); err != nil {
		return err
	}
	s.setter = setup.Installer{Dir: setup.ReceiptDir(s.base.Machine), Now: a.Now}
	clients, err := selectClients(s.base.Machine, names, f.all || f.remove && len(names) == 0)
	if err != nil {
		return err
	}
	if f.remove {
		slices.Reverse(clients) // so that a directory that setup made is empty in the end
	}
	if s.clients, err = s.newClientSetups(clients); err != nil {
		return err
	}
	s.assignAgents(ctx)
	switch {
	case f.print:
		return s.printSnippets()
	case f.check:
		s.planFiles(s.setter.PlanSetup)
		s.tryServers(ctx)
		return s.reportResults(false)
	case f.remove:
		s.planFiles(s.setter.PlanUndo)
		s.dropUntouchedClients()
		return s.carryOutPlan(ctx, s.setter.ApplyUndo)
	}
	s.planFiles(s.setter.PlanSetup)
	return s.carryOutPlan(ctx, s.setter.Apply)
}

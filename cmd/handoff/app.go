package main

import (
	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// app is one run of the program: its surroundings and the flags that every command has.
type app struct {
	env

	agent     string
	dir       string
	workspace string
	json      bool
	noColor   bool
	drained   string // the flag or argument that was given standard input

	keeping keeping
	network network
	logging logging
}

const about = `handoff passes work between coding agents: what is to be done, what is already known and what must
come back wait on disk in the receiver's mailbox. One agent at a time claims it, under a lease. It ends
in an outcome of which the sender is told, and each step is kept in a registry that can be verified.

Agents meet in a workspace: one per git repository, shared by its worktrees. There is no server to start: the
client of an agent starts one for itself, and a command needs none.`

const exitStatuses = `Exit status:
  0 done   1 error   2 usage   3 not found   4 denied   5 conflict or lease lost
  6 nothing to claim   7 unavailable, try again

The flags of every command and those of handoff mcp and serve can be set in the environment: HANDOFF_AGENT for
--agent, HANDOFF_LEASE_MAX for --lease-max. All other flags come from the command line alone.
`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "handoff",
		Short: "Pass work between coding agents",
		Long:  about,
		Example: `  handoff demo                                     # a whole chain of work in a few seconds
  handoff send qa "Test the login form"            # to an agent's mailbox
  handoff claim --agent qa                         # take the next one
  handoff complete 1 --agent qa --summary "12 passed"
  handoff history                                  # who passed what to whom, and how it ended
  claude mcp add handoff -- handoff mcp            # let an agent do all that itself`,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           thisRelease().Version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.begin(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	a.globalFlags(root)
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("handoff {{.Version}}\n")
	root.AddCommand(
		a.sendCommand(), a.claimCommand(), a.completeCommand(), a.failCommand(), a.updateCommand(),
		a.waitCommand(), a.approveCommand(), a.refuseCommand(), a.cancelCommand(), a.retryCommand(),
		a.listCommand(), a.showCommand(), a.historyCommand(), a.agentsCommand(), a.auditCommand(),
		a.whereCommand(), a.watchCommand(), a.workspaceCommand(), a.logsCommand(), a.tokenCommand(), a.serveCommand(),
		a.hookCommand(), a.primeCommand(), a.doctorCommand(),
		a.setupCommand(), a.mcpCommand(), a.callCommand(), a.toolsCommand(), a.demoCommand(), a.completionCommand(), a.manCommand(), a.versionCommand(),
	)
	return root
}

func (a *app) globalFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.agent, "agent", "", "act under this `name`")
	flags.StringVar(&a.dir, "dir", "", "the project's `directory` (default: that of the client, else the current one)")
	flags.StringVar(&a.workspace, "workspace", "", "`name` of the workspace, 1 to 64 of A-Z a-z 0-9 . _ -, not . or - first (default: that of the project)")
	flags.BoolVar(&a.json, "json", false, "print the result of the tool as it is")
	flags.BoolVar(&a.noColor, "no-color", false, "no colour")
}

// caller is who acts. Without a name a command may only read.
func (a *app) caller(writes bool) (schemas.Caller, error) {
	atTerminal := a.isTerminal(a.stdin) || a.isTerminal(a.stdout)
	by, err := identity.Caller(a.agent, a.getenv, atTerminal)
	if err == nil && writes && by.Agent == "" {
		err = identity.Missing()
	}
	return by, err
}

func (a *app) place() workspace.Config {
	return workspace.Config{Name: a.workspace, Dir: a.dir, Cwd: a.cwd, Getenv: a.getenv}
}

func (a *app) style() terminal.Style {
	return terminal.Of(a.stdout, a.isTerminal(a.stdout), a.noColor, a.getenv)
}

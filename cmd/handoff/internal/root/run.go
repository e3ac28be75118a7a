// Package root assembles the program. It has the root command, to which it adds the commands of all other packages, and
// the command demo.
package root

import (
	"context"
	"embed"
	"errors"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients"
	"handoff/cmd/handoff/internal/commands/audit"
	"handoff/cmd/handoff/internal/commands/checks"
	"handoff/cmd/handoff/internal/commands/completion"
	"handoff/cmd/handoff/internal/commands/files"
	"handoff/cmd/handoff/internal/commands/look"
	"handoff/cmd/handoff/internal/commands/place"
	"handoff/cmd/handoff/internal/commands/serve"
	"handoff/cmd/handoff/internal/commands/session"
	"handoff/cmd/handoff/internal/commands/work"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/tools/platform"
)

// Main is the main function of the program. It runs the command that the arguments name, and then ends the process.
// Version is empty if this is no release build. A first signal ends the command, and the exit status is then the status
// that shells expect for that signal. A second signal ends the process at once.
func Main(version string) {
	platform.SetMemoryLimit(true) // before the start allocates enough to be collected
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		came, _ := (<-signals).(syscall.Signal) // all signals are
		signal.Stop(signals)
		end(stoppedBySignal{came})
	}()
	code := Run(ctx, cli.SystemEnv(), version, os.Args[1:])
	if by, ok := errors.AsType[stoppedBySignal](context.Cause(ctx)); ok && code != 0 {
		code = 128 + int(by.Signal)
	}
	os.Exit(code)
}

// stoppedBySignal is the cause of a context that a signal ended.
type stoppedBySignal struct{ syscall.Signal }

func (s stoppedBySignal) Error() string { return s.String() }

// Run runs one command and returns its exit status.
func Run(ctx context.Context, e cli.Env, version string, args []string) int {
	a := NewApp(e, version)
	root := newRoot(a)
	if len(args) > 0 && frequent[args[0]] != nil {
		root.AddCommand(frequent[args[0]](a)...)
	} else {
		root = Command(a)
		var unknown error
		if args, unknown = cli.Translate(e, root, args); unknown != nil {
			return a.Report(root, unknown)
		}
	}
	a.Args = args
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.Report(cmd, session.SilenceHookError(a, cmd, args, err))
}

// NewApp returns a run of the program whose flags are not read yet.
func NewApp(e cli.Env, version string) *cli.App {
	spellings := func() []cli.CommandSpelling {
		return slices.Concat(work.Spellings(), look.Spellings(), serve.Spellings)
	}
	return &cli.App{
		Env: e, Release: cli.NewRelease(version), Spellings: sync.OnceValue(spellings), ClientsSetUp: clients.SetUpNames,
	}
}

// frequent maps commands that clients start very often to their families, which are packages of related commands. For
// these commands, Run makes only the commands of one family. This saves time, because making the flags of all commands
// is slow.
var frequent = map[string]func(*cli.App) []*cobra.Command{"mcp": serve.Commands, "hook": session.Commands}

// Command returns the root of all commands.
func Command(a *cli.App) *cobra.Command {
	root := newRoot(a)
	wait := work.WaitCommand(a)
	session.AddHookFlag(a, wait)
	root.AddCommand(wait, clients.SetupCommand(a), clients.DoctorCommand(a), completion.Command(a))
	root.AddCommand(slices.Concat(
		cli.NewFamily(helpTexts, demoCommand(a)), work.Commands(a), look.Commands(a), serve.Commands(a), session.Commands(a), place.Commands(a),
		files.Commands(a), checks.Commands(a), audit.Commands(a),
	)...)
	groupCommands(root)
	return root
}

// newRoot returns the root without commands.
func newRoot(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:               "handoff",
		Short:             "Pass work between coding agents",
		Long:              cli.HelpText(helpTexts, "handoff"),
		Example:           cli.HelpText(helpTexts, "handoff_examples"),
		Args:              cli.RequireSubcommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           a.Release.Version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return prepareCommand(a, cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return runWithoutCommand(cmd.Context(), a) },
	}
	a.DefineGlobalFlags(root.PersistentFlags())
	root.SetHelpFunc(cli.HelpWithoutHiddenFlags(root.HelpFunc()))
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate + "{{if not .HasParent}}\n" + ExitStatuses + "{{end}}")
	root.SetVersionTemplate("handoff {{.Version}}\n")
	return root
}

// runWithoutCommand runs if the user named no command. It shows the status of a used workspace, and the first steps for
// an unused workspace.
func runWithoutCommand(ctx context.Context, a *cli.App) error {
	if place, err := workspace.Find(a.WorkspaceConfig()); err == nil && place.HasStore() {
		return look.Status(ctx, a)
	}
	return clients.PrintGettingStarted(a)
}

// prepareCommand prepares a command before it runs. It adds completions only for the hidden command that shells call,
// because no other command uses completions.
func prepareCommand(a *cli.App, cmd *cobra.Command) error {
	if cmd.Name() == cobra.ShellCompRequestCmd {
		completion.AddCompletions(a, cmd.Root())
		return nil
	}
	return a.Prepare(cmd)
}

// helpTexts are the long texts in the help of the program and of its command demo, for [cli.HelpText].
//
//go:embed help_*.txt
var helpTexts embed.FS

// ExitStatuses stands below the flags in the program's help.
//
//go:embed exit_statuses.txt
var ExitStatuses string

// helpTemplate is the template of the help of a command. Examples come first, because most readers look for them.
//
//go:embed help.tmpl
var helpTemplate string

// usageTemplate is the template of the usage of a command. In the help of the program, [ExitStatuses] come after it.
//
//go:embed usage.tmpl
var usageTemplate string

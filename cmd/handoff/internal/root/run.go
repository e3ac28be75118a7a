// Package root puts the program together: it has the root of the commands, to which each family adds its own, and the
// command demo, which runs the program again.
package root

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commands/look"
	"handoff/cmd/handoff/internal/commands/serve"
	"handoff/cmd/handoff/internal/commands/session"
	"handoff/cmd/handoff/internal/commands/work"
)

// Main is the life of the program: it runs the command that its arguments say until it is done or a signal comes, and
// ends the process. The version is what a release build says of itself, if it does.
func Main(version string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, cli.System(), version, os.Args[1:])
	stop()
	os.Exit(code)
}

// Run runs one command and gives its exit status.
func Run(ctx context.Context, e cli.Env, version string, args []string) int {
	a := NewApp(e, version)
	root := Command(a)
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.Report(cmd, session.Silenced(a, cmd, args, err))
}

// NewApp is one run of the program, before its flags are read.
func NewApp(e cli.Env, version string) *cli.App {
	return &cli.App{
		Env: e, Release: cli.ReleaseOf(version),
		Spellings: slices.Concat(work.Spellings, look.Spellings, serve.Spellings),
	}
}

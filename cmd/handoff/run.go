package main

import (
	"context"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commands/look"
	"handoff/cmd/handoff/internal/commands/serve"
	"handoff/cmd/handoff/internal/commands/session"
	"handoff/cmd/handoff/internal/commands/work"
)

// run runs one command and gives its exit status.
func run(ctx context.Context, e cli.Env, args []string) int {
	a := newApp(e)
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.Report(cmd, session.Silenced(a, cmd, args, err))
}

func newApp(e cli.Env) *cli.App {
	return &cli.App{Env: e, Release: cli.ReleaseOf(version), Spellings: slices.Concat(work.Spellings, look.Spellings, serve.Spellings)}
}

package main

import (
	"context"
)

// run runs one command and gives its exit status.
func run(ctx context.Context, e env, args []string) int {
	a := newApp(e)
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return a.report(cmd, a.silenced(cmd, args, err))
}

func newApp(e env) *app { return &app{env: e, Release: ReleaseOf(version)} }

package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/demo"
	"handoff/schemas"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Watch four agents pass work along a chain",
		Example: `  handoff demo`,
		Long: `Plays a design, its implementation, a failed test with its rollback, a retest and a security review over a
real MCP connection, in a temporary directory, without a network. Then shows what the registry holds.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			state, err := os.MkdirTemp(a.getenv("TMPDIR"), "handoff-demo-")
			if err != nil {
				return schemas.Errorf(schemas.Unavailable, "make a temporary directory: %w", err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
			return a.demo(cmd.Context(), state)
		},
	}
}

const demoWorkspace = "demo"

// demo plays the chain and then, with the server gone, looks at it as anybody would afterwards.
func (a *app) demo(ctx context.Context, state string) error {
	err := demo.Play(ctx, demo.Config{
		Executable: a.executable, StateHome: state, Workspace: demoWorkspace, Out: a.stdout, Errors: a.stderr,
	})
	if err != nil {
		return schemas.Errorf(schemas.Internal, "the demonstration went wrong: %w", err)
	}
	for _, command := range [][]string{{"history", "wf_auth"}, {"show", "ho_2"}, {"audit", "verify"}} {
		if err := a.afterwards(ctx, state, command); err != nil {
			return err
		}
	}
	return nil
}

// afterwards runs a command in the workspace of the demonstration.
func (a *app) afterwards(ctx context.Context, state string, command []string) error {
	p := &page{Style: a.style()}
	p.line("\n%s", p.Bold("$ handoff "+command[0]+" "+command[1]))
	if err := a.write(p.String()); err != nil {
		return err
	}
	e := a.env
	e.getenv = func(name string) string {
		switch name {
		case "XDG_STATE_HOME":
			return state
		case "HANDOFF_WORKSPACE":
			return demoWorkspace
		case "TERM", "NO_COLOR":
			return a.getenv(name)
		}
		return ""
	}
	if code := run(ctx, e, command); code != 0 {
		return Exit(code)
	}
	return nil
}

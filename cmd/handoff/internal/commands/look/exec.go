package look

import (
	"context"
	"fmt"
	"os"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/onevent"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
)

// runner runs the command of watch --exec for each event. That it failed is told, and no reason to stop.
func runner(ctx context.Context, a *cli.App, w watching, place workspace.Workspace) func(schemas.Change) error {
	command := onevent.Command{
		Line: w.command, Limit: w.limit.Duration, Dir: a.Cwd, Stdout: a.Stdout, Stderr: a.Stderr,
		Environ: append(os.Environ(), "HANDOFF_WORKSPACE="+place.Name),
	}
	return func(c schemas.Change) error {
		event, err := inertEvent(c)
		if err == nil {
			err = command.Run(ctx, c, []byte(event))
		}
		if err != nil {
			fmt.Fprintf(a.Stderr, "handoff: --exec, event %d (%s %s): %s\n", c.N, c.Handoff, c.Action, schemas.Visible(err.Error()))
		}
		return nil
	}
}

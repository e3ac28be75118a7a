package cli

import (
	"context"
	"fmt"

	"handoff/cmd/handoff/internal/payload"
	"handoff/schemas"
	"handoff/schemas/respell"
)

// fromLog is the flag that names a log.
const fromLog = "from-log"

// runs are the arguments for what a log says of the run. A tool that is not among them takes no payload from a log.
var runs = map[string]string{"send_handoff": "context.results", "complete_handoff": "results"}

// logged reads the payload that an agent left in a log, as arguments of a tool, with what the log says of the run. A log
// without a payload is as good as none, but for a warning: agents hand on what they want to.
func (a *App) logged(ctx context.Context, tool, id, path string) (Arguments, error) {
	log, err := a.Log(ctx, path)
	if err != nil {
		return nil, err
	}
	args := Arguments{}
	if log.Text != nil {
		said, err := payload.Parse(log.Text)
		if err != nil {
			return nil, err
		}
		if args, err = respell.Whole(tool, id, said); err != nil {
			return nil, err
		}
	}
	if len(log.Outputs) > 0 {
		if err := args.Put(runs[tool], log.Results()); err != nil {
			return nil, schemas.Invalidf("--"+fromLog, "%w", err)
		}
		if tool == "complete_handoff" {
			args["outputs"] = log.Outputs
		}
	}
	return args, nil
}

// Log reads the log that --from-log names as it comes, however long it is, and warns of what is odd about it.
func (a *App) Log(ctx context.Context, path string) (payload.Log, error) {
	log, err := from(ctx, a, "--"+fromLog, path, payload.Scan)
	if odd := log.Odd(); odd != "" && err == nil {
		fmt.Fprintln(a.Stderr, "warning:", odd)
	}
	return log, err
}

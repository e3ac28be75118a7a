package work

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func assignCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.UpdateOut]{
		Tool: "update_handoff", Place: "handoff_id", Fields: []cli.Field{cli.Text("reason", "note", "why").Short("m")},
		Arguments: func(_ *cobra.Command, given []string, args cli.Arguments) error { return args.Put("to", given[1]) },
		Call:      assign, ID: updatedID, Print: printUpdated,
	}.Of(a, &cobra.Command{
		Use:   "assign ID TO",
		Short: "Give a handoff to another agent, or to a pool",
		Example: `  handoff assign 12 qa-2 --agent human
  handoff assign 12 role:testing -m "qa is away" --agent human`,
		Long: `One that nobody holds is sent to TO instead, also while it waits for something. One that is held is taken back
from its holder, who is told, and keeps all progress; that is no attempt.`,
		Args: cobra.ExactArgs(2),
	})
}

// assign redirects a handoff that is pending, and takes one that is held back for somebody else. Whichever it is may
// change between looking and acting, so it looks once more where it was refused.
func assign(ctx context.Context, conn *cli.Connection, args cli.Arguments) (out schemas.UpdateOut, raw json.RawMessage, err error) {
	for range 2 {
		var now schemas.GetOut
		look := cli.Arguments{"handoff_id": args["handoff_id"], "view": "outcome"}
		if _, err = conn.Call(ctx, "get_handoff", look, &now); err != nil {
			return out, nil, err
		}
		switch status := now.Status; {
		case status.Ended():
			return out, nil, schemas.Errorf(schemas.Conflict, "%s is %s, so nobody is to do it", now.HandoffID, status).
				About(now.HandoffID, status, 0).
				WithHint("What was not completed, handoff retry ID --to NAME sends again.")
		case status.Held():
			args["action"] = schemas.ActRelease
		default:
			args["action"] = schemas.ActAmend
		}
		out = schemas.UpdateOut{}
		if raw, err = conn.Call(ctx, "update_handoff", args, &out); err == nil || schemas.AsError(err).Code != schemas.Conflict {
			break
		}
	}
	return out, raw, err
}

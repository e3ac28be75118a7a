package work

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// updateFields returns the flags of update. A flag that stands for an action of update_handoff selects this action. The
// other flags are details of the selected action.
func updateFields() []cli.Field { return cli.ReadFields(helpTexts, "update") }

// amendFields returns the flags with which a sender changes a handoff.
func amendFields() []cli.Field { return cli.ReadFields(helpTexts, "amend") }

// updateActions returns switches for actions; without one the other flags decide.
func updateActions() []cli.Field { return cli.ReadFields(helpTexts, "update_actions") }

func updateCommand(a *cli.App) *cobra.Command {
	cmd := cli.ToolCommand[schemas.UpdateOut]{
		Tool: "update_handoff", Place: "handoff_id", Fields: slices.Concat(updateFields(), amendFields(), updateActions()),
		Flags: func(cmd *cobra.Command) {
			cmd.MarkFlagsMutuallyExclusive("release", "cancel", "accept", "return", "ask", "answer")
			cmd.MarkFlagsMutuallyExclusive("note", "answer", "reason")
			cmd.MarkFlagsMutuallyExclusive("to", "role", "agent-role")
		},
		Arguments: func(cmd *cobra.Command, _ []string, args cli.Arguments) (err error) {
			if args["action"] == nil {
				args["action"], err = actionOfFlags(cmd)
			}
			return err
		},
		ID: func(out schemas.UpdateOut) string { return out.Created.String() }, // the caller has the other
		Print: func(p *cli.Page, out schemas.UpdateOut) {
			printUpdated(p, out)
			if _, one := out.To.SingleAgent(); one && out.Status == schemas.Pending && len(out.Changed) == 0 { // released
				p.AddNext("For another than "+string(out.To), "assign "+out.HandoffID.String()+" AGENT")
			}
		},
	}.Configure(a, &cobra.Command{Use: "update ID", Args: cobra.ExactArgs(1)})
	cmd.Flags().Lookup("silent").Usage = "print only the id of a handoff that this creates"
	cli.LimitHelpToFlags(cmd, "note", "percent", "ask", "answer", "checkpoint", "reason", "release", "cancel", "accept", "return")
	return cmd
}

// actionOfFlags returns the action that the given flags mean together, without one of [updateActions].
func actionOfFlags(cmd *cobra.Command) (schemas.Action, error) {
	given := cmd.Flags().Changed
	switch {
	case given("ask"), given("needs-context"), given("needs-permission"):
		return schemas.ActAsk, nil
	case given("answer"):
		return schemas.ActAnswer, nil
	case given("percent"), given("checkpoint"):
		return schemas.ActProgress, nil
	case given("to"), slices.ContainsFunc(amendFields(), func(f cli.Field) bool { return given(f.Flag) }):
		return schemas.ActAmend, nil
	case given("note"):
		return schemas.ActProgress, nil
	}
	return "", schemas.Errorf(schemas.Invalid, "nothing says what to do").
		WithHint("%s --help shows the flags.", cmd.CommandPath())
}

func idOfUpdated(out schemas.UpdateOut) string { return out.HandoffID.String() }

// printUpdated reports the effect of an update.
func printUpdated(p *cli.Page, out schemas.UpdateOut) {
	p.AddLine("%s %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status))
	p.AddField("changed", strings.Join(out.Changed, ", "))
	p.AddField("to", string(out.To))
	p.AddField("claim token", out.Token)
	p.AddField("lease until", cli.FormatTime(out.LeaseEnds))
	p.AddField("checkpoint", out.Checkpoint)
	p.AddField("goes on with", out.Created.String())
	p.AddField("blocked by", strings.Join(out.BlockedBy, ", "))
	p.AddField("children still open", cli.JoinAll(out.Children))
	p.AddWarnings(out.Warnings)
}

func assignCommand(a *cli.App) *cobra.Command {
	return addTakeover(a, cli.ToolCommand[schemas.UpdateOut]{
		Tool: "update_handoff", Place: "handoff_id", Fields: []cli.Field{cli.Text("reason", "note", "why").WithShortFlag("m")},
		Arguments: func(_ *cobra.Command, given []string, args cli.Arguments) error { return args.SetPath("to", given[1]) },
		Call:      assignHandoff, ID: idOfUpdated, Print: printUpdated,
	}.Configure(a, &cobra.Command{Use: "assign ID TO | --from AGENT TO"}))
}

// assignHandoff gives a handoff to another agent. It redirects a pending handoff, and releases a held handoff for the
// other agent. The status may change between the query and the update, so assignHandoff tries once more after a
// refusal.
func assignHandoff(ctx context.Context, conn *cli.Connection, args cli.Arguments) (out schemas.UpdateOut, raw json.RawMessage, err error) {
	for range 2 {
		var now schemas.GetOut
		look := cli.Arguments{"handoff_id": args["handoff_id"], "view": "outcome"}
		if _, err = conn.Call(ctx, "get_handoff", look, &now); err != nil {
			return out, nil, err
		}
		switch status := now.Status; {
		case status.HasEnded():
			return out, nil, schemas.Errorf(schemas.Conflict, "%s is %s, so nobody is to do it", now.HandoffID, status).
				WithHandoff(now.HandoffID, status, 0).
				WithHint("handoff retry ID --to NAME sends work again that was not completed.")
		case status.IsHeld():
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

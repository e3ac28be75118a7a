package work

import (
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

var failFields = []cli.Field{
	cli.Content("reason", "description", "why, instead of REASON…"),
	cli.Content("summary", "description", "the same as --reason"),
	cli.Text("type", "type", "blocker, missing_information, capability, test_failure, environment, timeout or policy"),
	cli.Texts("question", "questions", "for whoever goes on (repeatable)"),
	cli.Texts("done", "partial_progress.completed", "what is done (repeatable)"),
	cli.Texts("left", "partial_progress.incomplete", "what is left (repeatable)"),
	cli.Text("then", "then", "rollback (default), retry, escalate or stop"),
	cli.Text("rollback-to", "rollback_to", "`agent` that goes on"),
	cli.Text("alternative", "suggested_alternative", "`agent` that could do it"),
	cli.Text("note", "checkpoint.note", "where the work stands, for whoever goes on"),
	cli.Document("state", "checkpoint.state", "object: state to go on from"),
	cli.Text("token", "claim_token", "claim token, where another process claimed"),
}

func failCommand(a *cli.App) *cobra.Command {
	var reject bool
	var blockers []string
	return cli.ToolCommand[schemas.FailOut]{
		Tool: "fail_handoff", Place: "handoff_id", Fields: failFields, File: true,
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().StringArrayVar(&blockers, "blocker", nil, "`text`: what stands in the way (repeatable)")
			cmd.Flags().BoolVar(&reject, "reject", false, "not started, not for you")
			cmd.MarkFlagsMutuallyExclusive("reason", "summary")
		},
		Arguments: func(cmd *cobra.Command, given []string, args cli.Arguments) error {
			if reject {
				args["outcome"] = schemas.OutcomeRejected
			}
			if len(blockers) > 0 {
				args["blockers"] = asBlockers(blockers)
			}
			return addReason(cmd, given, args)
		},
		ID:    func(out schemas.FailOut) string { return out.HandoffID.String() },
		Print: printFailed,
	}.Of(a, &cobra.Command{
		Use:   "fail [ID [REASON…]]",
		Short: "Give a handoff up, or reject it",
		Example: `  handoff fail 12 "The fixtures are missing" --agent qa --blocker "No test data" --done "Unit tests"
  handoff fail 12 "Not my field" --agent qa --reject --alternative ciso
  handoff fail 12 "The service is down" --agent qa --then retry
  handoff fail 12 --agent qa --file failure.json`,
		Long: `What was done is kept as a checkpoint, and the work goes back to the sender, or to whom the handoff
names, unless --then says otherwise. --reject: not started, because it is not for you.

` + cli.AboutSources,
	})
}

// addReason joins the words of REASON, and refuses those that a flag contradicts.
func addReason(cmd *cobra.Command, given []string, args cli.Arguments) error {
	if len(given) < 2 {
		return nil
	}
	for _, flag := range []string{"reason", "summary"} {
		if cmd.Flags().Changed(flag) {
			return schemas.Invalidf("--"+flag, "is given beside REASON, which says the same").WithHint("Give one of them.")
		}
	}
	args["description"] = strings.Join(given[1:], " ")
	return nil
}

func asBlockers(texts []string) []schemas.Blocker {
	blockers := make([]schemas.Blocker, len(texts))
	for i, t := range texts {
		blockers[i] = schemas.Blocker{Description: t, RequiredToProceed: true}
	}
	return blockers
}

func printFailed(p *cli.Page, out schemas.FailOut) {
	p.Line("%s %s", p.Bold(out.HandoffID.String()), p.Status(out.Status))
	if out.RollbackHandoff != 0 {
		p.Line("%s: %s goes on with %s", out.Then, schemas.Visible(string(out.To)), p.Bold(out.RollbackHandoff.String()))
	}
	p.Warn(out.Warnings)
}

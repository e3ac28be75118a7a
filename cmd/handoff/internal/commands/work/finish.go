package work

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func completeFields() []cli.Field { return cli.ReadFields(helpTexts, "complete") }

func completeCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.CompleteOut]{
		Tool: "complete_handoff", Place: "handoff_id", DefaultHeld: true, Fields: completeFields(), File: true,
		Flags: func(cmd *cobra.Command) {
			cmd.MarkFlagsMutuallyExclusive("summary", "reason")
		},
		Arguments: func(cmd *cobra.Command, _ []string, args cli.Arguments) error {
			return addCriteriaAnswers(args, cli.TextsOfFlag(cmd, "met"), cli.TextsOfFlag(cmd, "unmet"))
		},
		ID:    func(out schemas.CompleteOut) string { return out.HandoffID.String() },
		Print: printCompleted,
	}.Configure(a, &cobra.Command{Use: "complete [ID]", Args: cobra.MaximumNArgs(1)})
}

// addCriteriaAnswers adds the answers to criteria.
func addCriteriaAnswers(args cli.Arguments, met, unmet []string) error {
	var answers []any
	answer := func(given string, met bool) {
		number, evidence, _ := strings.Cut(given, "=")
		a := map[string]any{"criterion": strings.TrimSpace(number), "met": met}
		if evidence != "" {
			a["evidence"] = evidence
		}
		answers = append(answers, a)
	}
	for _, m := range met {
		if strings.Contains(m, "=") {
			answer(m, true)
			continue
		}
		for n := range strings.SplitSeq(m, ",") {
			answer(n, true)
		}
	}
	for _, u := range unmet {
		if !strings.Contains(u, "=") {
			return schemas.Invalidf("--unmet", "%q does not say why", schemas.EscapeHidden(u)).WithHint("Write --unmet %q.", u+"=WHY")
		}
		answer(u, false)
	}
	if len(answers) == 0 {
		return nil
	}
	if err := args.SetPath("verification.criteria", answers); err != nil {
		return schemas.Invalidf("--met", "%w", err)
	}
	return nil
}

func printCompleted(p *cli.Page, out schemas.CompleteOut) {
	p.AddLine("%s %s, %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status), out.Outcome)
	for _, u := range out.Unmet {
		p.AddLine("%s %d. %s", p.Red("✗"), u.Number, p.Quote(strings.TrimSuffix(u.Criterion+" ("+u.Evidence+")", " ()"), 5))
	}
	if out.Forwarded != nil {
		printSent(p, *out.Forwarded)
	}
	for _, c := range out.Suggested {
		p.AddLine("suggested next: %s", schemas.EscapeHidden(c.String()))
	}
	p.AddWarnings(out.Warnings)
}

func failFields() []cli.Field { return cli.ReadFields(helpTexts, "fail") }

func failCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.FailOut]{
		Tool: "fail_handoff", Place: "handoff_id", DefaultHeld: true, Rest: "description", Fields: failFields(), File: true,
		Flags: func(cmd *cobra.Command) {
			cmd.MarkFlagsMutuallyExclusive("reason", "summary")
		},
		Arguments: func(cmd *cobra.Command, _ []string, args cli.Arguments) error {
			if given := cli.TextsOfFlag(cmd, "blocker"); given != nil {
				args["blockers"] = schemas.Map(given, func(text string) schemas.Blocker {
					return schemas.Blocker{Description: text, RequiredToProceed: true}
				})
			}
			return nil
		},
		ID:    func(out schemas.FailOut) string { return out.HandoffID.String() },
		Print: printFailed,
	}.Configure(a, &cobra.Command{Use: "fail [ID [REASON…]]", Args: cobra.ArbitraryArgs})
}

func printFailed(p *cli.Page, out schemas.FailOut) {
	p.AddLine("%s %s", p.Bold(out.HandoffID.String()), p.ColourStatus(out.Status))
	if out.RollbackHandoff != 0 {
		p.AddLine("%s: %s goes on with %s", cmp.Or(out.Then, "next"), schemas.EscapeHidden(string(out.To)), p.Bold(out.RollbackHandoff.String()))
	}
	p.AddWarnings(out.Warnings)
}

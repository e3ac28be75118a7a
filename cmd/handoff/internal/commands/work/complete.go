package work

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

var completeFields = []cli.Field{
	cli.Content("summary", "summary", "what was done or found"),
	cli.Content("reason", "summary", "the same as --summary"),
	cli.Content("detail", "detail", "in full"),
	cli.Pairs("data", "data", "for programs (repeatable)"),
	cli.Pairs("result", "results", "about the run: branch, commit, pr_url, cost_usd … (repeatable)"),
	cli.Document("output", "output", "that the output schema asks for"),
	cli.Texts("note", "notes", "for the sender (repeatable)"),
	cli.Text("next", "continuation.to", "pass on to this `agent` in the same step"),
	cli.Text("next-task", "continuation.task", "what it is to do"),
	cli.Text("token", "claim_token", "claim token, where another process claimed"),
}

func completeCommand(a *cli.App) *cobra.Command {
	var met, unmet []string
	return cli.ToolCommand[schemas.CompleteOut]{
		Tool: "complete_handoff", Place: "handoff_id", Fields: completeFields, File: true,
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().StringArrayVar(&met, "met", nil, "criteria that are met: `1,2` or 1=EVIDENCE (repeatable)")
			cmd.Flags().StringArrayVar(&unmet, "unmet", nil, "criterion that is not met: `2=WHY` (repeatable)")
			cmd.MarkFlagsMutuallyExclusive("summary", "reason")
		},
		Arguments: func(_ *cobra.Command, _ []string, args cli.Arguments) error { return addAnswers(args, met, unmet) },
		ID:        func(out schemas.CompleteOut) string { return out.HandoffID.String() },
		Print:     printCompleted,
	}.Of(a, &cobra.Command{
		Use:   "complete [ID]",
		Short: "Finish a handoff and answer its criteria",
		Example: `  handoff complete 12 --agent qa --summary "12 tests passed" --met 1,2
  handoff complete 12 --agent qa --summary "Almost" --met "1=go test ok" --unmet "2=no staging"
  handoff complete 12 --agent dev --summary "Login works" --next qa --next-task "Test the login"
  go test ./... | handoff complete 12 --agent qa --summary "Tests" --detail -
  handoff complete 12 --agent qa --file completion.json`,
		Long: `Every criterion that the handoff declared must be answered, by its number: --met N or N=EVIDENCE,
--unmet N=WHY. An unmet one makes the outcome partial.

` + cli.AboutSources,
		Args: cobra.MaximumNArgs(1),
	})
}

// addAnswers adds the answers to criteria.
func addAnswers(args cli.Arguments, met, unmet []string) error {
	var answers []any
	for _, m := range met {
		if strings.Contains(m, "=") {
			answers = append(answers, criterionAnswer(m, true))
			continue
		}
		for n := range strings.SplitSeq(m, ",") {
			answers = append(answers, criterionAnswer(n, true))
		}
	}
	for _, u := range unmet {
		if !strings.Contains(u, "=") {
			return schemas.Invalidf("--unmet", "%q does not say why", schemas.Visible(u)).WithHint("Write --unmet %q.", u+"=WHY")
		}
		answers = append(answers, criterionAnswer(u, false))
	}
	if len(answers) == 0 {
		return nil
	}
	if err := args.Put("verification.criteria", answers); err != nil {
		return schemas.Invalidf("--met", "%w", err)
	}
	return nil
}

func criterionAnswer(given string, met bool) map[string]any {
	number, evidence, _ := strings.Cut(given, "=")
	a := map[string]any{"criterion": strings.TrimSpace(number), "met": met}
	if evidence != "" {
		a["evidence"] = evidence
	}
	return a
}

func printCompleted(p *cli.Page, out schemas.CompleteOut) {
	p.Line("%s %s, %s", p.Bold(out.HandoffID.String()), p.Status(out.Status), out.Outcome)
	for _, u := range out.Unmet {
		p.Line("%s %d. %s%s", p.Mark(false), u.Number, schemas.Visible(u.Criterion), because(u.Evidence))
	}
	if out.Forwarded != nil {
		printSent(p, *out.Forwarded)
	}
	p.Warn(out.Warnings)
}

func because(evidence string) string {
	if evidence == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", schemas.Visible(evidence))
}

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
	var file string
	var silent bool
	var met, unmet []string
	cmd := &cobra.Command{
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
		RunE: func(cmd *cobra.Command, given []string) error {
			args, err := finish(a, cmd, "complete_handoff", file, given, completeFields)
			if err == nil {
				err = addAnswers(args, met, unmet)
			}
			if err != nil {
				return err
			}
			out, raw, err := cli.Call[schemas.CompleteOut](cmd.Context(), a, "complete_handoff", args)
			if err != nil {
				return err
			}
			if silent {
				return a.Write(out.HandoffID.String() + "\n")
			}
			return a.PrintWithMail(raw, func(p *cli.Page) { printCompleted(p, out) })
		},
	}
	cli.Bind(cmd, completeFields)
	a.Limits.BindHidden(cmd)
	cmd.Flags().StringArrayVar(&met, "met", nil, "criteria that are met: `1,2` or 1=EVIDENCE (repeatable)")
	cmd.Flags().StringArrayVar(&unmet, "unmet", nil, "criterion that is not met: `2=WHY` (repeatable)")
	cmd.Flags().StringVar(&file, "file", "", "a whole message from this `file`, - for standard input")
	cmd.Flags().BoolVar(&silent, "silent", false, "print the id only")
	cmd.MarkFlagsMutuallyExclusive("summary", "reason")
	return cmd
}

// finish reads what complete and fail have in common: an id, a message and flags over it.
func finish(a *cli.App, cmd *cobra.Command, tool, file string, given []string, fields []cli.Field) (cli.Arguments, error) {
	args, err := a.Message(tool, file)
	if err != nil {
		return nil, err
	}
	if len(given) > 0 {
		args["handoff_id"] = given[0]
	}
	return args, args.Set(cmd, fields)
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

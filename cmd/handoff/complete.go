package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

var completeFields = []Field{
	Content("summary", "summary", "what was done or found"),
	Content("reason", "summary", "the same as --summary"),
	Content("detail", "detail", "in full"),
	Pairs("data", "data", "for programs (repeatable)"),
	Pairs("result", "results", "about the run: branch, commit, pr_url, cost_usd … (repeatable)"),
	Document("output", "output", "that the output schema asks for"),
	Texts("note", "notes", "for the sender (repeatable)"),
	Text("next", "continuation.to", "pass on to this `agent` in the same step"),
	Text("next-task", "continuation.task", "what it is to do"),
	Text("token", "claim_token", "claim token, where another process claimed"),
}

func (a *app) completeCommand() *cobra.Command {
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

` + aboutSources,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args, err := a.finish(cmd, "complete_handoff", file, given, completeFields)
			if err == nil {
				err = args.answer(met, unmet)
			}
			if err != nil {
				return err
			}
			out, raw, err := once[schemas.CompleteOut](cmd.Context(), a, "complete_handoff", args)
			if err != nil {
				return err
			}
			if silent {
				return a.write(out.HandoffID.String() + "\n")
			}
			return a.printWithMail(raw, func(p *page) { p.completed(out) })
		},
	}
	bind(cmd, completeFields)
	a.keeping.bindHidden(cmd)
	cmd.Flags().StringArrayVar(&met, "met", nil, "criteria that are met: `1,2` or 1=EVIDENCE (repeatable)")
	cmd.Flags().StringArrayVar(&unmet, "unmet", nil, "criterion that is not met: `2=WHY` (repeatable)")
	cmd.Flags().StringVar(&file, "file", "", "a whole message from this `file`, - for standard input")
	cmd.Flags().BoolVar(&silent, "silent", false, "print the id only")
	cmd.MarkFlagsMutuallyExclusive("summary", "reason")
	return cmd
}

// finish reads what complete and fail have in common: an id, a message and flags over it.
func (a *app) finish(cmd *cobra.Command, tool, file string, given []string, fields []Field) (arguments, error) {
	args, err := a.message(tool, file)
	if err != nil {
		return nil, err
	}
	if len(given) > 0 {
		args["handoff_id"] = given[0]
	}
	return args, args.set(cmd, fields)
}

// answer adds the answers to criteria.
func (args arguments) answer(met, unmet []string) error {
	var answers []any
	for _, m := range met {
		if strings.Contains(m, "=") {
			answers = append(answers, answer(m, true))
			continue
		}
		for n := range strings.SplitSeq(m, ",") {
			answers = append(answers, answer(n, true))
		}
	}
	for _, u := range unmet {
		if !strings.Contains(u, "=") {
			return schemas.Invalidf("--unmet", "%q does not say why", schemas.Visible(u)).WithHint("Write --unmet %q.", u+"=WHY")
		}
		answers = append(answers, answer(u, false))
	}
	if len(answers) == 0 {
		return nil
	}
	if err := args.put("verification.criteria", answers); err != nil {
		return schemas.Invalidf("--met", "%w", err)
	}
	return nil
}

func answer(given string, met bool) map[string]any {
	number, evidence, _ := strings.Cut(given, "=")
	a := map[string]any{"criterion": strings.TrimSpace(number), "met": met}
	if evidence != "" {
		a["evidence"] = evidence
	}
	return a
}

func (p *page) completed(out schemas.CompleteOut) {
	p.line("%s %s, %s", p.Bold(out.HandoffID.String()), p.status(out.Status), out.Outcome)
	for _, u := range out.Unmet {
		p.line("%s %d. %s%s", p.mark(false), u.Number, schemas.Visible(u.Criterion), because(u.Evidence))
	}
	if out.Forwarded != nil {
		p.sent(*out.Forwarded)
	}
	p.warn(out.Warnings)
}

func because(evidence string) string {
	if evidence == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", schemas.Visible(evidence))
}

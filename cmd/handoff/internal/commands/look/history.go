package look

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/draw"
	"handoff/schemas"
	"handoff/schemas/display"
)

// historyFields returns the flags of history that choose its form.
func historyFields() []cli.Field { return cli.ReadFields(helpTexts, "history") }

func historyCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "history [ID | WORKFLOW]...", Args: cobra.ArbitraryArgs}
	cli.DefineFlags(cmd, historyFields())
	limit := cmd.Flags().IntP("limit", "n", 50, "handoffs at most, up to 500")
	cmd.MarkFlagsMutuallyExclusive("mermaid", "markdown", "rows")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if *limit < 1 || *limit > schemas.MaxHistory {
			return schemas.Invalidf("--limit", "%d is not from 1 to %d", *limit, schemas.MaxHistory)
		}
		args := cli.Arguments{"limit": *limit, "format": map[bool]string{true: "tree", false: "rows"}[a.JSON]}
		if err := args.SetFields(cmd, historyFields()); err != nil {
			return err
		}
		rows := cmd.Flags().Changed("rows")
		if len(given) == 0 {
			return showHistory(cmd.Context(), a, args, rows)
		}
		for _, id := range given {
			delete(args, "workflow")
			delete(args, "handoff_id")
			of := "workflow"
			if _, ok := schemas.ParseID(id); ok || strings.HasPrefix(id, "ho_") {
				of = "handoff_id"
			}
			args[of] = id
			if err := showHistory(cmd.Context(), a, args, rows); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// showHistory prints one history.
func showHistory(ctx context.Context, a *cli.App, args cli.Arguments, rows bool) error {
	out, raw, err := cli.Call[schemas.HistoryOut](ctx, a, "handoff_history", args)
	if err != nil {
		return err
	}
	return a.Print(raw, func(p *cli.Page) { printHistory(p, a, out, rows); a.Remark(p, strings.Join(out.Warnings, "\n")) })
}

func printHistory(p *cli.Page, a *cli.App, out schemas.HistoryOut, rows bool) {
	switch {
	case out.Markdown != "":
		p.WriteString(out.Markdown)
	case out.Mermaid != "":
		p.WriteString(out.Mermaid)
	case rows:
		printSteps(p, out.Items)
	default:
		title := append(out.Items, schemas.HistoryStep{})[0].Title // of the first handoff, as in the page for pull requests
		p.WriteString(draw.Tree(string(out.Workflow), title, out.Items, p.Style.Style))
	}
	if out.Sums != nil && out.Markdown+out.Mermaid == "" && !rows {
		p.AddLine("")
		p.AddField("sum", schemas.CountNoun(out.Sums.Handoffs, "handoff")+", "+draw.SumsText(*out.Sums))
	}
	for _, b := range out.Limits {
		name := "limit of " + b.Limit
		if b.Limit == schemas.LimitTokens {
			name += ", estimated where no result reports them"
		}
		p.AddField(name, fmt.Sprintf("%v of %v", b.Used, b.Of))
	}
	printOmittedSteps(p, a, out, rows)
	if n := len(out.Items); n > 0 && out.More == 0 && out.Markdown+out.Mermaid == "" {
		p.AddNext("Whole of the last one", "show "+out.Items[n-1].HandoffID.String())
	}
	if !out.LogVerified {
		p.AddLine("%s the registry does not confirm this; handoff audit verify tells more", p.Red("warning:"))
	}
}

// printOmittedSteps says how many handoffs are shown, with the command that shows all. A page for a pull request says
// it itself.
func printOmittedSteps(p *cli.Page, a *cli.App, out schemas.HistoryOut, rows bool) {
	all, form := schemas.ValueOrZero(out.Sums).Handoffs, map[bool]string{rows: " --rows", out.Mermaid != "": " --mermaid"}[true]
	command := fmt.Sprintf("history %s%s --limit %d", out.Workflow, form, all)
	if all > schemas.MaxHistory {
		command = "list " + string(out.Workflow)
	}
	text := fmt.Sprintf("%d of %d shown: handoff %s%s", all-out.More, all, command, a.WorkspaceFlags())
	switch {
	case out.More == 0 || out.Markdown != "":
	case out.Mermaid != "":
		p.AddLine("%%%% %s", text)
	case rows:
		a.Remark(p, text)
	default:
		p.AddLine("%s", p.Faint(text))
	}
}

func printSteps(p *cli.Page, steps []schemas.HistoryStep) {
	rows := schemas.Map(steps, func(s schemas.HistoryStep) []string {
		took := ""
		if s.Status.HasEnded() && s.Holder != "" {
			took = display.FormatDuration(time.Duration(s.Seconds) * time.Second)
		}
		before := cmp.Or(s.RetryOf, s.ReworkOf, s.Parent) // the run that a retry of a workflow repeats
		return []string{
			s.HandoffID.String(), before.String(), schemas.SenderLine(s.Rule, s.From), string(s.To),
			rowStatus(s.Status, s.BlockedBy), took, s.Title,
		}
	})
	p.WriteString(p.FormatTable([]string{"ID", "PARENT", "FROM", "TO", "STATUS", "TOOK", "TITLE"}, rows))
}

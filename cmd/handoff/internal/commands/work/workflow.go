package work

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/draw"
	"handoff/schemas"
	"handoff/schemas/display"
)

func workflowCommand(a *cli.App) *cobra.Command {
	return cli.AddSubcommands(&cobra.Command{Use: "workflow"}, workflowStartCommand(a), workflowListCommand(a))
}

func workflowListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "list"}
	limit := cmd.Flags().IntP("limit", "n", 20, "workflows at most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		names, err := newestWorkflows(cmd.Context(), a)
		more := max(len(names)-max(*limit, 1), 0)
		all, rows := []schemas.HistoryOut{}, [][]string{}
		for _, name := range names[:len(names)-more] {
			if err != nil {
				break
			}
			var of schemas.HistoryOut
			of, _, err = cli.Call[schemas.HistoryOut](cmd.Context(), a, "handoff_history", cli.Arguments{"workflow": name, "format": "rows", "limit": 500})
			all, rows = append(all, of), append(rows, workflowRow(of))
			all[len(all)-1].Items, all[len(all)-1].Chain = nil, nil
		}
		if err != nil {
			return err
		}
		return a.PrintValue(map[string]any{"workflows": all, "more": more}, func(p *cli.Page) {
			p.AddTable("nothing", []string{"WORKFLOW", "HANDOFFS", "OPEN", "TITLE", "SUM"}, rows)
			if more > 0 {
				a.Remark(p, schemas.CountNoun(more, "more workflow")+": handoff workflow list --limit "+strconv.Itoa(len(names)))
			}
		})
	}
	return cmd
}

// workflowRow returns the row of a workflow in a list: its name, its handoffs, those that are open, the title of the
// first handoff, and the sums.
func workflowRow(of schemas.HistoryOut) []string {
	open, title := 0, ""
	for _, step := range slices.Backward(of.Items) {
		if title = display.FitOneLine(step.Title, 40); !step.Status.HasEnded() {
			open++
		}
	}
	return []string{string(of.Workflow), strconv.Itoa(len(of.Items) + of.More), strconv.Itoa(open), title, draw.SumsText(schemas.ValueOrZero(of.Sums))}
}

// newestWorkflows returns the names of all workflows, those with the newest handoffs first.
func newestWorkflows(ctx context.Context, a *cli.App) (names []schemas.Workflow, err error) {
	args := cli.Arguments{"box": "all", "limit": cli.PageLimit}
	for more := true; more && err == nil; more = args["cursor"] != "" {
		var page schemas.ListOut
		page, _, err = cli.Call[schemas.ListOut](ctx, a, "list_handoffs", args)
		names = append(names, schemas.Map(page.Items, func(i schemas.ListItem) schemas.Workflow { return i.Workflow })...)
		args["cursor"] = page.Cursor
	}
	return schemas.Unique(names), err
}

func workflowStartCommand(a *cli.App) *cobra.Command {
	return configureSend(a, "workflow:", &cobra.Command{Use: "start [NAME TASK…]"}, nil)
}

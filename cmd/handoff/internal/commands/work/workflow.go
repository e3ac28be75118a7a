package work

import (
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
		by, err := a.ReadingCaller(false)
		if err != nil {
			return err
		}
		all, rows, more := []schemas.HistoryOut{}, [][]string{}, 0
		err = a.ConnectToRead(cmd.Context(), by, func(conn *cli.Connection) error {
			items, err := conn.ListAll(cmd.Context(), schemas.ListIn{Box: "all"})
			names := schemas.Unique(schemas.Map(items, func(i schemas.ListItem) schemas.Workflow { return i.Workflow })) // newest first
			more = max(len(names)-max(*limit, 1), 0)
			for _, name := range names[:len(names)-more] {
				var of schemas.HistoryOut
				in := schemas.HistoryIn{Workflow: string(name), Format: "rows", Limit: schemas.MaxHistory}
				if _, err := conn.Call(cmd.Context(), "handoff_history", in, &of); err != nil {
					return err
				}
				rows = append(rows, workflowRow(of))
				of.Items, of.Chain = nil, nil
				all = append(all, of)
			}
			return err
		})
		if err != nil {
			return err
		}
		return a.PrintValue(map[string]any{"workflows": all, "more": more}, func(p *cli.Page) {
			p.AddTable("nothing", []string{"WORKFLOW", "HANDOFFS", "OPEN", "TITLE", "SUM"}, rows)
			if more > 0 {
				a.Remark(p, schemas.CountNoun(more, "more workflow")+": handoff workflow list --limit "+strconv.Itoa(len(all)+more))
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

func workflowStartCommand(a *cli.App) *cobra.Command {
	return configureSend(a, "workflow:", &cobra.Command{Use: "start [NAME TASK…]"}, nil)
}

package files

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

func renderCommand(a *cli.App) *cobra.Command {
	// The first flags select the outcomes for a template, by ids of handoffs or by a workflow. The others select rows of
	// the history.
	depFields, historyFields := cli.ReadFields(helpTexts, "render"), cli.ReadFields(helpTexts, "render_history")
	cmd := &cobra.Command{
		Use:  "render TEMPLATE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, given []string) error {
			args, listed := cli.Arguments{}, cli.Arguments{}
			if err := cmp.Or(args.SetFields(cmd, depFields), listed.SetFields(cmd, historyFields)); err != nil {
				return err
			}
			template, err := a.ReadInput(cmd.Context(), "TEMPLATE", given[0])
			if err != nil {
				return err
			}
			data, err := readPromptData(cmd.Context(), a, args, listed)
			if err != nil {
				return err
			}
			text, err := cli.RunInterruptible(cmd.Context(), func() (string, error) { return data.fillTemplate(strings.ReplaceAll(string(template), "\r\n", "\n")) })
			if err != nil {
				return err
			}
			return a.PrintValue(map[string]string{"prompt": text}, func(p *cli.Page) { p.WriteString(text) })
		},
	}
	cli.DefineFlags(cmd, slices.Concat(depFields, historyFields))
	return cmd
}

// readPromptData reads the data of a template. It reads the history only if a flag selects rows of the history.
func readPromptData(ctx context.Context, a *cli.App, args, listed cli.Arguments) (data promptData, err error) {
	body, _ := args["body"].(string)
	data.Body = schemas.EscapeHidden(body)
	data.Deps = map[string]*stage{}
	by, err := a.ReadingCaller(false)
	if err != nil {
		return data, err
	}
	err = a.ConnectToRead(ctx, by, func(conn *cli.Connection) error {
		if workflow, ok := args["workflow"].(string); ok {
			items, err := conn.ListAll(ctx, schemas.ListIn{Box: "all", Workflow: workflow})
			slices.Reverse(items)
			if err == nil {
				data.Stages, err = readStages(ctx, conn, items)
			}
			if err != nil {
				return err
			}
			for _, s := range data.Stages {
				data.Deps[s.Name()] = s
			}
		}
		deps, _ := args["deps"].(map[string]string)
		for name, id := range deps {
			if data.Deps[name], err = readStage(ctx, conn, name, id); err != nil {
				return err
			}
		}
		if len(listed) == 0 {
			return nil
		}
		listed["box"], listed["status"] = "all", schemas.Completed
		var page schemas.ListOut
		if _, err = conn.Call(ctx, "list_handoffs", listed, &page); err == nil {
			data.History, err = readStages(ctx, conn, page.Items)
		}
		return err
	})
	return data, err
}

func readStages(ctx context.Context, conn *cli.Connection, items []schemas.ListItem) (all []*stage, err error) {
	for _, item := range items {
		s, err := readStage(ctx, conn, item.Title, item.HandoffID.String())
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// readStage reads the outcome of a handoff, or of its last successor.
func readStage(ctx context.Context, conn *cli.Connection, name, id string) (*stage, error) {
	for range schemas.MaxChain {
		raw, err := conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": id, "view": "outcome"}, nil)
		if err != nil {
			return nil, err
		}
		var out schemas.GetOut
		if err := schemas.DecodeNumbers(schemas.EscapeHiddenJSON(raw), &out); err != nil {
			return nil, schemas.InternalError(err)
		}
		if out.Standing == nil || out.Standing.Successor == 0 {
			return newStage(name, out), nil
		}
		id = out.Standing.Successor.String()
	}
	return nil, schemas.Errorf(schemas.Conflict, "%s has too many successors", name)
}

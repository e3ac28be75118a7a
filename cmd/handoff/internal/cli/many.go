package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// many makes the call for each handoff that is named, in their order. One that is refused does not stop the others: it
// is told at once, and the exit status is that of the first.
func (t ToolCommand[Out]) many(a *App, cmd *cobra.Command, tell func(Out, json.RawMessage) error) *cobra.Command {
	var workflow string
	if t.Open {
		WorkflowFlag(cmd, &workflow)
	}
	cmd.Args = NamedOr(&workflow)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args, err := t.arguments(a, cmd, "", nil)
		if err != nil {
			return err
		}
		return a.Act(cmd.Context(), t.Tool, func(conn *Connection) error {
			ids, err := conn.Named(cmd.Context(), given, workflow)
			if err != nil {
				return err
			}
			if len(ids) == 0 && !a.JSON {
				return a.Write("nothing of it is open\n")
			}
			return t.each(cmd, conn, args, ids, tell)
		})
	}
	return cmd
}

func (t ToolCommand[Out]) each(
	cmd *cobra.Command, conn *Connection, args Arguments, ids []string, tell func(Out, json.RawMessage) error,
) error {
	var failed error
	for _, id := range ids {
		var out Out
		args[t.Place] = id
		raw, err := conn.Call(cmd.Context(), t.Tool, args, &out)
		switch {
		case err != nil && len(ids) == 1:
			return err
		case err == nil:
			err = tell(out, raw)
		case failed == nil:
			failed = Exit(conn.App.Report(cmd, err))
		default:
			conn.App.Report(cmd, err)
		}
		if cmd.Context().Err() != nil {
			return err
		}
	}
	return failed
}

// WorkflowFlag gives a command of several handoffs the flag that names all of a workflow, see [Connection.Named].
func WorkflowFlag(cmd *cobra.Command, workflow *string) {
	cmd.Flags().StringVar(workflow, "workflow", "", "all of this `workflow` that have not ended")
}

// NamedOr is what the arguments are of a command of several handoffs: at least one, unless a workflow is named.
func NamedOr(workflow *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if *workflow != "" {
			return cobra.NoArgs(cmd, given)
		}
		return cobra.MinimumNArgs(1)(cmd, given)
	}
}

// Named gives the handoffs that a command is about: those given, or those of a workflow that have not ended, the newest
// first, so that nothing is told in vain that something before it ended.
func (conn *Connection) Named(ctx context.Context, given []string, workflow string) ([]string, error) {
	if workflow == "" {
		return given, nil
	}
	items, err := conn.Listed(ctx, schemas.ListIn{Box: "all", Workflow: workflow, Status: schemas.Open})
	return idsOf(items), err
}

// Listed gives all rows of a list.
func (conn *Connection) Listed(ctx context.Context, in schemas.ListIn) (items []schemas.Item, err error) {
	for in.Limit = PageLimit; ; {
		var page schemas.ListOut
		if _, err := conn.Call(ctx, "list_handoffs", in, &page); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if in.Cursor = page.Cursor; in.Cursor == "" {
			return items, nil
		}
	}
}

// PageLimit is the largest that list_handoffs gives at once.
const PageLimit = 50

func idsOf(items []schemas.Item) (ids []string) {
	for _, item := range items {
		ids = append(ids, item.HandoffID.String())
	}
	return ids
}

// held is the handoff that the caller holds, where it is one.
func (conn *Connection) held(ctx context.Context) (id string, err error) {
	items, err := conn.Listed(ctx, schemas.ListIn{Box: "claimed"})
	switch {
	case err != nil:
		return "", err
	case len(items) == 1:
		return items[0].HandoffID.String(), nil
	case len(items) == 0:
		return "", schemas.Invalidf("handoff_id", "%s holds nothing", conn.By.Agent).
			WithNext(schemas.Call(schemas.ClaimIn{}, "takes the next one"))
	}
	return "", schemas.Invalidf("handoff_id", "%s holds several", conn.By.Agent).
		WithHint("Name one of them.").WithKnown(idsOf(items)...)
}

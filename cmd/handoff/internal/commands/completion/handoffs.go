package completion

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// mostOffered is how many handoffs somebody still looks through.
const mostOffered = 30

// openHandoffs completes with the ids of what has not ended, the newest first.
var openHandoffs = stored(offerOpen)

func offerOpen(ctx context.Context, conn *cli.Connection, typed string) (found []cobra.Completion, err error) {
	var open []schemas.Item
	for _, status := range slices.DeleteFunc(slices.Clone(schemas.Statuses), schemas.Status.Ended) {
		var out schemas.ListOut
		asked := cli.Arguments{"box": "all", "status": status, "limit": mostOffered}
		if _, err := conn.Call(ctx, "list_handoffs", asked, &out); err != nil {
			return nil, err
		}
		open = append(open, out.Items...)
	}
	slices.SortFunc(open, func(x, y schemas.Item) int { return cmp.Compare(y.HandoffID, x.HandoffID) })
	for _, item := range open[:min(len(open), mostOffered)] {
		found = append(found, offeredHandoff(item, typed))
	}
	return found, nil
}

// offeredHandoff is an id in the form in which it was begun, "12" or "ho_12", and which handoff that is.
func offeredHandoff(item schemas.Item, typed string) cobra.Completion {
	id := item.HandoffID.String()
	if !strings.HasPrefix(typed, "h") {
		id = strconv.FormatUint(uint64(item.HandoffID), 10)
	}
	return described(id, string(item.Status)+", for "+string(item.To)+": "+item.Title)
}

// workflows completes with those of the newest handoffs.
var workflows = stored(offerWorkflows)

// chains completes with what has a history that grows: what has not ended, and the workflows of the newest handoffs.
var chains = stored(func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error) {
	handoffs, err := offerOpen(ctx, conn, typed)
	if err != nil {
		return nil, err
	}
	named, err := offerWorkflows(ctx, conn, typed)
	return append(handoffs, named...), err
})

// offerWorkflows gives each once, with the title of the newest handoff in it.
func offerWorkflows(ctx context.Context, conn *cli.Connection, _ string) (found []cobra.Completion, err error) {
	var newest schemas.ListOut
	if _, err := conn.Call(ctx, "list_handoffs", cli.Arguments{"box": "all", "limit": mostOffered}, &newest); err != nil {
		return nil, err
	}
	seen := map[schemas.Workflow]bool{}
	for _, item := range newest.Items {
		if !seen[item.Workflow] {
			found = append(found, described(string(item.Workflow), item.Title))
		}
		seen[item.Workflow] = true
	}
	return found, nil
}

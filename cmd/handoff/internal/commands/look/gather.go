package look

import (
	"context"
	"math"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// gathered are the rows of as many calls of list_handoffs as it takes, and the result of list with --json.
type gathered struct {
	Items []schemas.Item `json:"items"`
	More  bool           `json:"more,omitempty"`  // the limit left some out
	Inbox *schemas.Inbox `json:"inbox,omitempty"` // of the agent whose list it is

	blocked map[schemas.ID][]string // what pending ones wait for, where it is shown
}

// gatherAll gathers what was asked for: newest first if it takes several questions, else in the order of the tool.
func gatherAll(ctx context.Context, conn *cli.Connection, args cli.Arguments, l listing) (gathered, error) {
	out := gathered{Items: []schemas.Item{}}
	keep, err := filterOf(ctx, conn, args, l)
	if err != nil {
		return out, err
	}
	queries := l.queries(args)
	for _, query := range queries {
		if err := gather(ctx, conn, query, l.wanted(args), keep, &out); err != nil {
			return out, err
		}
	}
	if len(queries) > 1 {
		slices.SortStableFunc(out.Items, func(x, y schemas.Item) int { return y.At.Compare(x.At) })
	}
	if l.limit > 0 && len(out.Items) > l.limit {
		out.Items, out.More = out.Items[:l.limit], true
	}
	if len(out.Items) == 0 && args["workflow"] != nil {
		_, err = conn.Call(ctx, "handoff_history", cli.Arguments{"workflow": args["workflow"], "limit": 1}, nil)
	}
	return out, err // the workflow may not exist
}

// wanted is how many rows to gather: one more than are shown tells whether there are more. A notice counts
// as read when it is listed, so of these only what is shown.
func (l listing) wanted(args cli.Arguments) int {
	switch {
	case l.limit == 0:
		return math.MaxInt
	case args["box"] == "notices":
		return l.limit
	}
	return min(l.limit, math.MaxInt-1) + 1
}

// pageLimit is the largest that list_handoffs gives at once.
const pageLimit = 50

// gather adds rows that keep keeps until there are enough. A nil keep keeps all.
func gather(ctx context.Context, conn *cli.Connection, args cli.Arguments, wanted int, keep keeper, out *gathered) error {
	for found := 0; found < wanted; {
		args["limit"] = min(wanted-found, pageLimit)
		var page struct {
			schemas.ListOut
			Inbox *schemas.Inbox
		}
		if _, err := conn.Call(ctx, "list_handoffs", args, &page); err != nil {
			return err
		}
		out.Inbox = page.Inbox
		kept, err := keep.of(page.Items)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, kept...)
		found += len(kept)
		if page.Cursor == "" {
			return nil
		}
		args["cursor"] = page.Cursor
	}
	out.More = true
	return nil
}

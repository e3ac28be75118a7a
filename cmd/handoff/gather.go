package main

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

// A keeper tells whether a row is kept.
type keeper func(schemas.Item) (bool, error)

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

// of gives the rows that are kept.
func (keep keeper) of(items []schemas.Item) (kept []schemas.Item, err error) {
	if keep == nil {
		return items, nil
	}
	for _, item := range items {
		ok, err := keep(item)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// filterOf keeps what list_handoffs cannot be asked for: what is for a role, and what is stuck.
func filterOf(ctx context.Context, conn *cli.Connection, args cli.Arguments, l listing) (keeper, error) {
	var forRole keeper
	if l.role != "" {
		var err error
		if forRole, err = keepForRole(ctx, conn, args, l.role); err != nil {
			return nil, err
		}
	}
	if !l.stuck {
		return forRole, nil
	}
	return func(item schemas.Item) (bool, error) {
		if forRole != nil {
			if ok, err := forRole(item); !ok || err != nil {
				return false, err
			}
		}
		return isStuck(ctx, conn, item)
	}, nil
}

// keepForRole keeps what is addressed to a role, or to who plays it.
func keepForRole(ctx context.Context, conn *cli.Connection, args cli.Arguments, role string) (keeper, error) {
	if args["box"] == "notices" {
		return nil, schemas.Invalidf("--role", "notices are for agents, not for roles").WithHint("Leave --role out.")
	}
	var players schemas.AgentsOut
	if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"role": role, "limit": everybody}, &players); err != nil {
		return nil, err
	}
	return func(item schemas.Item) (bool, error) {
		return item.To == schemas.Address("role:"+role) ||
			slices.ContainsFunc(players.Agents, func(c schemas.Card) bool { return schemas.Address(c.Name) == item.To }), nil
	}, nil
}

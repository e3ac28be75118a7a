package main

import (
	"context"
	"math"
	"slices"

	"handoff/schemas"
)

// gathered are the rows of as many calls of list_handoffs as it takes, and the result of list with --json.
type gathered struct {
	Items []schemas.Item `json:"items"`
	More  bool           `json:"more,omitempty"`  // the limit left some out
	Inbox *schemas.Inbox `json:"inbox,omitempty"` // of the agent whose list it is
}

// list gathers what was asked for: newest first if it takes several questions, else in the order of the tool.
func (v *visit) list(ctx context.Context, args arguments, l listing) (gathered, error) {
	out := gathered{Items: []schemas.Item{}}
	keep, err := v.filter(ctx, args, l)
	if err != nil {
		return out, err
	}
	queries := l.queries(args)
	for _, query := range queries {
		if err := v.gather(ctx, query, l.wanted(args), keep, &out); err != nil {
			return out, err
		}
	}
	if len(queries) > 1 {
		slices.SortStableFunc(out.Items, func(x, y schemas.Item) int { return y.At.Compare(x.At) })
	}
	if l.limit > 0 && len(out.Items) > l.limit {
		out.Items, out.More = out.Items[:l.limit], true
	}
	return out, nil
}

// wanted is how many rows to gather: one more than are shown tells whether there are more. A notice counts
// as read when it is listed, so of these only what is shown.
func (l listing) wanted(args arguments) int {
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
func (v *visit) gather(ctx context.Context, args arguments, wanted int, keep func(schemas.Item) bool, out *gathered) error {
	for found := 0; found < wanted; {
		args["limit"] = min(wanted-found, pageLimit)
		var page struct {
			schemas.ListOut
			Inbox *schemas.Inbox
		}
		if _, err := v.call(ctx, "list_handoffs", args, &page); err != nil {
			return err
		}
		out.Inbox = page.Inbox
		for _, item := range page.Items {
			if keep == nil || keep(item) {
				out.Items = append(out.Items, item)
				found++
			}
		}
		if page.Cursor == "" {
			return nil
		}
		args["cursor"] = page.Cursor
	}
	out.More = true
	return nil
}

// filter keeps what is for a role: list_handoffs does not know who plays it.
func (v *visit) filter(ctx context.Context, args arguments, l listing) (func(schemas.Item) bool, error) {
	if l.role == "" {
		return nil, nil
	}
	if args["box"] == "notices" {
		return nil, schemas.Invalidf("--role", "notices are for agents, not for roles").WithHint("Leave --role out.")
	}
	var players schemas.AgentsOut
	if _, err := v.call(ctx, "list_agents", arguments{"role": l.role, "limit": everybody}, &players); err != nil {
		return nil, err
	}
	return func(item schemas.Item) bool {
		return item.To == schemas.Address("role:"+l.role) ||
			slices.ContainsFunc(players.Agents, func(c schemas.Card) bool { return schemas.Address(c.Name) == item.To })
	}, nil
}

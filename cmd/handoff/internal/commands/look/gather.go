package look

import (
	"cmp"
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
	keep, err := keepers(ctx, conn, args, l)
	if err != nil {
		return out, err
	}
	queries := l.queries(args)
	for _, query := range queries {
		if err := out.gather(ctx, conn, query, l.wanted(args), keep); err != nil {
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

// gather adds rows that all keep until there are enough.
func (out *gathered) gather(
	ctx context.Context, conn *cli.Connection, args cli.Arguments, wanted int, keep []keeper,
) error {
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
		kept, err := filter(page.Items, keep)
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

// A keeper tells whether a row is kept.
type keeper func(schemas.Item) (bool, error)

// filter gives the rows that all keep.
func filter(items []schemas.Item, all []keeper) (kept []schemas.Item, err error) {
	for _, item := range items {
		ok := true
		for i := 0; ok && i < len(all); i++ {
			if ok, err = all[i](item); err != nil {
				return nil, err
			}
		}
		if ok {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// keepers keep what list_handoffs cannot be asked for: what is for a role, and what is stuck.
func keepers(ctx context.Context, conn *cli.Connection, args cli.Arguments, l listing) (all []keeper, err error) {
	if l.role != "" {
		forRole, err := keepForRole(ctx, conn, args, l.role)
		if err != nil {
			return nil, err
		}
		all = append(all, forRole)
	}
	if l.stuck {
		all = append(all, func(item schemas.Item) (bool, error) { return isStuck(ctx, conn, item) })
	}
	return all, nil
}

// keepForRole keeps what is addressed to a role, or to who plays it.
func keepForRole(ctx context.Context, conn *cli.Connection, args cli.Arguments, role string) (keeper, error) {
	if args["box"] == "notices" {
		return nil, schemas.Invalidf("--role", "notices are for agents, not for roles").WithHint("Leave --role out.")
	}
	var players schemas.AgentsOut
	if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"role": role, "limit": cli.Everybody}, &players); err != nil {
		return nil, err
	}
	return func(item schemas.Item) (bool, error) {
		return item.To == schemas.Address("role:"+role) ||
			slices.ContainsFunc(players.Agents, func(c schemas.Card) bool { return schemas.Address(c.Name) == item.To }), nil
	}, nil
}

// isStuck keeps what goes on only when somebody acts: it waits for an answer, for approval, or for a handoff
// that ended otherwise than completed.
func isStuck(ctx context.Context, conn *cli.Connection, item schemas.Item) (bool, error) {
	if item.Status != schemas.Pending {
		return true, nil
	}
	st, err := standingOf(ctx, conn, item.HandoffID.String())
	if err != nil || slices.Contains(st.BlockedBy, approval) {
		return err == nil, err
	}
	for _, id := range st.BlockedBy {
		if before, err := standingOf(ctx, conn, id); err != nil || before.Status.Ended() {
			return err == nil, err
		}
	}
	return false, nil
}

// approval is what a handoff waits for that a person has to approve, as blocked_by names it.
const approval = "approval"

// standingOf is where a handoff stands.
func standingOf(ctx context.Context, conn *cli.Connection, id string) (schemas.Standing, error) {
	var out schemas.GetOut
	if _, err := conn.Call(ctx, "get_handoff", cli.Arguments{"handoff_id": id, "view": "outcome"}, &out); err != nil {
		return schemas.Standing{}, err
	}
	return *cmp.Or(out.Standing, &schemas.Standing{Status: out.Status}), nil
}

// blockers tells for the pending ones of a list what they wait for.
func blockers(ctx context.Context, conn *cli.Connection, items []schemas.Item) (map[schemas.ID][]string, error) {
	blocked := map[schemas.ID][]string{}
	for _, item := range items {
		if item.NoticeID != 0 || item.Status != schemas.Pending {
			continue
		}
		st, err := standingOf(ctx, conn, item.HandoffID.String())
		if err != nil {
			return nil, err
		}
		blocked[item.HandoffID] = st.BlockedBy
	}
	return blocked, nil
}

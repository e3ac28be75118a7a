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

	left    int  // how many the limit left out, 0 where nobody counted
	atLeast bool // left is not all
}

// mostSorted is how many open handoffs are put in order; of more, the newest.
const mostSorted = 1000

// gatherAll gathers what was asked for: what is under way by how much it asks for a look, else in the order of the tool.
func gatherAll(ctx context.Context, conn *cli.Connection, args cli.Arguments, l listing) (gathered, error) {
	out := gathered{Items: []schemas.Item{}}
	keep, err := keepers(ctx, conn, args, l)
	if err != nil {
		return out, err
	}
	open, wanted := l.query(args), l.wanted(args)
	if open && l.limit > 0 {
		wanted = max(wanted, mostSorted)
	}
	if err := out.gather(ctx, conn, args, wanted, keep); err != nil {
		return out, err
	}
	if open {
		slices.SortStableFunc(out.Items, func(x, y schemas.Item) int { return cmp.Compare(urgency(x), urgency(y)) })
	}
	if over := len(out.Items) - l.limit; l.limit > 0 && over > 0 {
		out.left = max(out.left, 0) + over
		out.Items, out.More = out.Items[:l.limit], true
	}
	if len(out.Items) == 0 && args["workflow"] != nil {
		_, err = conn.Call(ctx, "handoff_history", cli.Arguments{"workflow": args["workflow"], "limit": 1}, nil)
	}
	return out, err // the workflow may not exist
}

// urgency orders what is under way: urgent work, what waits for an answer or has lost its holder, what is at work, the
// rest.
func urgency(i schemas.Item) int {
	switch {
	case i.Priority == schemas.Critical:
		return 0
	case i.Priority == schemas.High:
		return 1
	case i.Status == schemas.Waiting, i.Reason != "", slices.Contains(i.BlockedBy, approval):
		return 2
	case i.Status != schemas.Pending:
		return 3
	}
	return 4
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
	total := 0
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
		if page.Total > 0 && len(keep) == 0 {
			total, out.atLeast = page.Total, page.AtLeast
		}
		kept := filter(page.Items, keep)
		out.Items = append(out.Items, kept...)
		found += len(kept)
		if page.Cursor == "" {
			return nil
		}
		args["cursor"] = page.Cursor
	}
	out.More, out.left = true, max(total-len(out.Items), 0)
	return nil
}

// A keeper tells whether a row is kept.
type keeper func(schemas.Item) bool

// filter gives the rows that all keep.
func filter(items []schemas.Item, all []keeper) []schemas.Item {
	return slices.DeleteFunc(items, func(i schemas.Item) bool {
		return slices.ContainsFunc(all, func(keep keeper) bool { return !keep(i) })
	})
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
		all = append(all, isStuck)
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
	return func(item schemas.Item) bool {
		return item.To == schemas.Address("role:"+role) ||
			slices.ContainsFunc(players.Agents, func(c schemas.Card) bool { return schemas.Address(c.Name) == item.To })
	}, nil
}

// isStuck keeps what goes on only when somebody acts: it waits for an answer, for approval, or for a handoff that ended
// otherwise than completed, or its holder is gone.
func isStuck(item schemas.Item) bool {
	return item.Status == schemas.Waiting || item.Reason != "" || slices.Contains(item.BlockedBy, approval)
}

// approval is what a handoff waits for that a person has to approve, as blocked_by names it.
const approval = "approval"

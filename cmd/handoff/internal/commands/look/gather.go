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
	keep, err := l.keeper(ctx, conn, args)
	if err != nil {
		return out, err
	}
	open := l.query(args)
	if err := out.gather(ctx, conn, args, l.wanted(args, open), keep); err != nil {
		return out, err
	}
	if open {
		slices.SortStableFunc(out.Items, func(x, y schemas.Item) int { return cmp.Compare(urgency(x), urgency(y)) })
	}
	if over := len(out.Items) - l.limit; l.limit > 0 && over > 0 {
		out.left += over
		out.Items, out.More = out.Items[:l.limit], true
	}
	switch { // the workflow or the agent may not exist
	case len(out.Items) > 0:
	case args["workflow"] != nil:
		_, err = conn.Call(ctx, "handoff_history", cli.Arguments{"workflow": args["workflow"], "limit": 1}, nil)
	case l.forAgent != "":
		_, unknown := agentNamed(ctx, conn, schemas.Agent(l.forAgent))
		if e := schemas.AsError(unknown); e != nil && e.Hint != "" { // another is meant; one like no other may be yet to come
			err = e
		}
	}
	return out, err
}

// urgency orders what is under way: urgent work, what waits for an answer or has lost its holder, what is at work, the
// rest.
func urgency(i schemas.Item) int {
	switch {
	case i.Priority == schemas.Critical:
		return 0
	case i.Priority == schemas.High:
		return 1
	case isStuck(i):
		return 2
	case i.Status != schemas.Pending:
		return 3
	}
	return 4
}

// wanted is how many rows to gather: one more than are shown tells whether there are more, and as many as are put in order
// where it is all that is open. A notice counts as read when it is listed, so of these only what is shown.
func (l listing) wanted(args cli.Arguments, open bool) int {
	oneMore := min(l.limit, math.MaxInt-1) + 1
	switch {
	case l.limit == 0:
		return math.MaxInt
	case args["box"] == "notices":
		return l.limit
	case open:
		return max(oneMore, mostSorted)
	}
	return oneMore
}

// gather adds rows that are to be kept until there are enough; nil keeps all.
func (out *gathered) gather(
	ctx context.Context, conn *cli.Connection, args cli.Arguments, wanted int, keep func(schemas.Item) bool,
) error {
	total := 0
	for len(out.Items) < wanted {
		args["limit"] = min(wanted-len(out.Items), cli.PageLimit)
		var page struct {
			schemas.ListOut
			Inbox *schemas.Inbox
		}
		if _, err := conn.Call(ctx, "list_handoffs", args, &page); err != nil {
			return err
		}
		out.Inbox = page.Inbox
		if keep != nil {
			page.Items = slices.DeleteFunc(page.Items, func(i schemas.Item) bool { return !keep(i) })
		} else if page.Total > 0 {
			total, out.atLeast = page.Total, page.AtLeast
		}
		out.Items = append(out.Items, page.Items...)
		if args["cursor"] = page.Cursor; page.Cursor == "" {
			return nil
		}
	}
	out.More, out.left = true, max(total-len(out.Items), 0)
	return nil
}

// keeper keeps what list_handoffs cannot be asked for: what is stuck, and what is addressed to a role or to who plays it.
// It is nil where that is everything.
func (l listing) keeper(ctx context.Context, conn *cli.Connection, args cli.Arguments) (func(schemas.Item) bool, error) {
	switch {
	case l.role == "" && (l.stuck || l.gone):
		return l.keeps, nil
	case l.role == "":
		return nil, nil
	case args["box"] == "notices":
		return nil, schemas.Invalidf("--role", "notices are for agents, not for roles").WithHint("Leave --role out.")
	}
	var players schemas.AgentsOut
	if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"role": l.role, "limit": cli.Everybody}, &players); err != nil {
		return nil, err
	}
	may := []schemas.Address{schemas.Address("role:" + l.role)}
	for _, c := range players.Agents {
		may = append(may, schemas.Address(c.Name))
	}
	return func(item schemas.Item) bool { return slices.Contains(may, item.To) && l.keeps(item) }, nil
}

func (l listing) keeps(i schemas.Item) bool {
	gone := i.Reason != "" && i.Status.Held() && i.Status != schemas.Waiting
	return (!l.stuck || isStuck(i)) && (!l.gone || gone)
}

// isStuck tells what goes on only when somebody acts: it waits for an answer, for approval, or for a handoff that ended
// otherwise than completed, or its holder is gone.
func isStuck(item schemas.Item) bool {
	return item.Status == schemas.Waiting || item.Reason != "" || slices.Contains(item.BlockedBy, approval)
}

// approval is what a handoff waits for that a person has to approve, as blocked_by names it.
const approval = "approval"

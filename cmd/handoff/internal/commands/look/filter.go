package look

import (
	"context"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// A keeper tells whether a row is kept.
type keeper func(schemas.Item) (bool, error)

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
	return *out.Standing, nil
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

package look

import (
	"context"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

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

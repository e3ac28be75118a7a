package main

import (
	"context"
	"slices"
	"strconv"

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

// printWaiting ends a list on a terminal with what waits for its reader. Again are the flags that a command line
// for that reader repeats.
func printWaiting(p *cli.Page, out gathered, by schemas.Caller, again string) {
	if !p.Terminal {
		return
	}
	if out.Inbox != nil && out.Inbox.Notices > 0 {
		unread := strconv.Itoa(out.Inbox.Notices) + " notices"
		if out.Inbox.Notices == 1 {
			unread = "1 notice"
		}
		p.Line("%s unread: handoff list --box notices%s", unread, again)
	}
	for _, item := range out.Items {
		if by.Agent == schemas.Human && slices.Contains(out.blocked[item.HandoffID], approval) {
			p.Line("%s waits for your approval: handoff approve %s%s", item.HandoffID, item.HandoffID, again)
		}
	}
}

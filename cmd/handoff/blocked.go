package main

import (
	"context"
	"slices"

	"handoff/schemas"
)

// approval is what a handoff waits for that a person has to approve, as blocked_by names it.
const approval = "approval"

// standing is where a handoff stands.
func (v *visit) standing(ctx context.Context, id string) (schemas.Standing, error) {
	var out schemas.GetOut
	if _, err := v.call(ctx, "get_handoff", arguments{"handoff_id": id, "view": "outcome"}, &out); err != nil {
		return schemas.Standing{}, err
	}
	return *out.Standing, nil
}

// blocks tells for the pending ones of a list what they wait for.
func (v *visit) blocks(ctx context.Context, items []schemas.Item) (map[schemas.ID][]string, error) {
	blocked := map[schemas.ID][]string{}
	for _, item := range items {
		if item.NoticeID != 0 || item.Status != schemas.Pending {
			continue
		}
		st, err := v.standing(ctx, item.HandoffID.String())
		if err != nil {
			return nil, err
		}
		blocked[item.HandoffID] = st.BlockedBy
	}
	return blocked, nil
}

// stuck keeps what goes on only when somebody acts: it waits for an answer, for approval, or for a handoff
// that ended otherwise than completed.
func (v *visit) stuck(ctx context.Context, item schemas.Item) (bool, error) {
	if item.Status != schemas.Pending {
		return true, nil
	}
	st, err := v.standing(ctx, item.HandoffID.String())
	if err != nil || slices.Contains(st.BlockedBy, approval) {
		return err == nil, err
	}
	for _, id := range st.BlockedBy {
		if before, err := v.standing(ctx, id); err != nil || before.Status.Ended() {
			return err == nil, err
		}
	}
	return false, nil
}

// waits ends a list on a terminal with what waits for its reader. Again are the flags that a command line
// for that reader repeats.
func (p *page) waits(out gathered, by schemas.Caller, again string) {
	if !p.Terminal {
		return
	}
	if out.Inbox != nil && out.Inbox.Notices > 0 {
		unread := decimal(out.Inbox.Notices) + " notices"
		if out.Inbox.Notices == 1 {
			unread = "1 notice"
		}
		p.line("%s unread: handoff list --box notices%s", unread, again)
	}
	for _, item := range out.Items {
		if by.Agent == schemas.Human && slices.Contains(out.blocked[item.HandoffID], approval) {
			p.line("%s waits for your approval: handoff approve %s%s", item.HandoffID, item.HandoffID, again)
		}
	}
}

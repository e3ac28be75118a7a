package mailbox

import (
	"context"
	"log/slog"

	"handoff/schemas"
	"handoff/store"
)

// claimResult tells the new holder what it holds. The brief is rendered after the commit, on a snapshot.
func (s *Service) claimResult(
	ctx context.Context, by schemas.Caller, in schemas.ClaimIn, got claimed,
) (out schemas.ClaimOut, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		r, err := got.recall(v)
		if err != nil {
			return err
		}
		b, criteria, err := s.brief(v, r, in.MaxTokens)
		if err != nil { // the claim stands, and its holder can still fail it
			s.Logger.ErrorContext(ctx, "no brief", slog.String("handoff", r.ID.String()), slog.Any("error", err))
			b.Text = "What was sent cannot be read: the store is damaged there. Tell human. " + giveUp(r).String()
		}
		out = schemas.ClaimOut{
			HandoffID: r.ID, Token: r.Token, LeaseEnds: r.Lease.Ptr(), Attempt: r.Attempt, From: r.From,
			Title: schemas.Visible(r.Title), Priority: r.Priority, Workflow: r.Workflow,
			Criteria: criteria, Brief: b.Text, Omitted: b.Omitted, Transfer: &b.Transfer,
		}
		if in.View == "full" {
			h, err := body(v, r)
			if err != nil {
				return err
			}
			out.Handoff = &h
		}
		out.Holding, err = holding(v, by.Agent)
		return err
	})
	return out, s.coded(err)
}

// recall is the record of a claim. A claim that was remembered may be lost by now.
func (c claimed) recall(v *store.View) (*store.Record, error) {
	if c.record != nil {
		return c.record, nil
	}
	r, err := v.Record(c.ID)
	if err == nil && r.Token != c.Token {
		err = schemas.Errorf(schemas.Stale, "your claim of %s ended", c.ID).About(r.ID, r.Status, r.Successor)
	}
	return r, err
}

// holding lists what an agent holds, fifty handoffs at most.
func holding(v *store.View, a schemas.Agent) (ids []schemas.ID, err error) {
	for id, err := range v.Oldest(store.HeldBy(a), 0) {
		if err != nil || len(ids) == 50 {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

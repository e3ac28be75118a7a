package mailbox

import (
	"context"

	"handoff/schemas"
	"handoff/store"
)

// claimAnswer tells the new holder what it holds. The brief is rendered after the commit, on a snapshot.
func (s *Service) claimAnswer(ctx context.Context, by schemas.Caller, in schemas.ClaimIn, r *store.Record) (out schemas.ClaimOut, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		b, err := s.brief(v, r, in.MaxTokens)
		if err != nil {
			return err
		}
		out = schemas.ClaimOut{
			HandoffID: r.ID, Token: r.Token, LeaseEnds: r.Lease.Ptr(), Attempt: r.Attempt, From: r.From,
			Title: r.Title, Priority: r.Priority, Workflow: r.Workflow,
			Brief: b.Text, Omitted: b.Omitted, Transfer: &b.Transfer,
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

// holding lists what an agent holds, at most fifty.
func holding(v *store.View, a schemas.Agent) (ids []schemas.ID, err error) {
	for id, err := range v.Oldest(store.HeldBy(a), 0) {
		if err != nil || len(ids) == 50 {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

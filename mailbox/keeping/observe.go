package keeping

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Observe stores observations (results) of checks of completed work, see [life.Observe]. An observation replaces an
// earlier observation of the same check. A failed check makes the outcome partial. If the outcome was partial only
// because checks were not run, and all checks pass now, the outcome becomes success, and dependent handoffs may be
// claimed. The sender gets a notice of either change.
//
// The errors are not_found for an unknown id, conflict for work that is not completed, and invalid for a commit that is
// not the commit in the completion.
func (k *Keeping) Observe(ctx context.Context, by schemas.Caller, in schemas.ObserveIn) (schemas.ObserveOut, error) {
	return operation.UpdateForCaller(ctx, k.Engine, by, func(o *operation.Op) (out schemas.ObserveOut, err error) {
		r, err := o.FindHandoff(in.HandoffID)
		if err != nil {
			return out, err
		}
		err = o.RunAs(operation.ClockCaller, func() error {
			out, err = op{o}.storeObservations(r, in.Seen)
			return err
		})
		return out, err
	})
}

func (o op) storeObservations(r *store.Record, seen []schemas.Observation) (out schemas.ObserveOut, err error) {
	now, err := o.ApplyAction(life.Observe, r)
	if err != nil {
		return out, err
	}
	var done schemas.Completion
	before, err := reading.LaterObservations(o.View, r)
	if err = cmp.Or(o.DecodeContent(r.ID, r.Result, &done), err); err != nil {
		return out, err
	}
	commit := done.Commit()
	for i, now := range seen {
		if commit == "" || !strings.HasPrefix(now.Commit, commit) {
			return out, schemas.Invalidf(fmt.Sprintf("seen[%d].commit", i), "%s was completed at %q, and this was seen at %q",
				r.ID, schemas.ShortCommit(commit), schemas.ShortCommit(now.Commit)).WithHint("Look at the commit that was delivered.")
		}
		before.Observed = slices.DeleteFunc(before.Observed, func(o schemas.Observation) bool { return o.Check == now.Check })
		before.Observed = append(before.Observed, now)
	}
	contract.AddObservations(&done, before)
	now.Observation, now.Outcome = o.NextEventNumber(), done.Status
	var seenAs []string
	for _, a := range done.Criteria {
		if a.Observed != nil && a.Observed.Passed == (done.Status == schemas.Success) {
			seenAs = append(seenAs, a.Observed.String())
		}
	}
	out = schemas.ObserveOut{HandoffID: r.ID, Outcome: done.Status, Unmet: contract.UnmetCriteria(done.Criteria)}
	return out, o.Commit(&operation.RecordChange{Action: life.Observe, Was: r, Now: &now, Content: before, ContentName: "sight", Text: strings.Join(seenAs, ". ")})
}

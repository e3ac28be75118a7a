package mailbox

import (
	"context"
	"errors"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// errSearchSnapshot undoes a transaction that has passed over [reading.MaxScanned] handoffs and found no handoff to
// claim.
const errSearchSnapshot operation.UndoError = "the handoff lies further back in the mailbox"

// claimNext claims the first handoff that the caller may claim: a handoff that it held over a connection that is gone,
// otherwise the first handoff of its queue. If the caller may claim nothing, the result is empty and is not stored for
// a repeated call.
//
// A transaction passes over [reading.MaxScanned] handoffs at most, because other writers wait for it. Then claimNext
// searches on a snapshot and claims the found handoff by its id. If another agent claims the found handoff first, the
// search begins anew, 64 times at most. If the last of these claims fails, too, claimNext returns the error of that
// claim.
func (s *Service) claimNext(ctx context.Context, by schemas.Caller, tags []string) (takenClaim, error) {
	// This function may run more than once, so each run assigns all results.
	first := func(o *op) (takenClaim, error) {
		got, err := o.reclaimAfterLostConnection()
		if got.ID == 0 && err == nil {
			got, err = o.claimFirstInQueue(tags)
		}
		if got.ID == 0 {
			o.SkipReceipt() // a repeat looks again
		}
		return got, err
	}
	for tries := 0; ; tries++ {
		got, err := mutate(ctx, s, by, first)
		if !errors.Is(err, errSearchSnapshot) {
			return got, err
		}
		if _, err := s.engine.ApplyDueChanges(ctx); err != nil { // the undone transaction also lost the changes of the clock
			return takenClaim{}, err
		}
		id, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.ID, error) { return s.searchQueue(v, by, tags) })
		if id == 0 || err != nil {
			return takenClaim{}, err
		}
		got, err = mutate(ctx, s, by, func(o *op) (takenClaim, error) {
			return o.claimByID(id.String()) // refused if another agent claimed, redirected or ended it since
		})
		e := schemas.AsError(err)
		lost := e != nil && (e.Code == schemas.Conflict || e.Code == schemas.Denied)
		if !lost || tries == maxLookback {
			return got, err
		}
	}
}

// claimFirstInQueue claims the first handoff of the caller's queue that the caller may claim. The result is zero if
// there is no such handoff. The error is errSearchSnapshot after it has passed over [reading.MaxScanned] records.
// Damaged records count, too, because other writers wait during each read.
func (o *op) claimFirstInQueue(tags []string) (takenClaim, error) {
	a, err := o.CallerRow()
	if err != nil {
		return takenClaim{}, err
	}
	looked := 0
	for r, err := range o.Offers().Queue(*a, tags, o.UsableRecord) {
		if err != nil {
			return takenClaim{}, err
		}
		if r != nil {
			return o.takeHandoff(life.Claim, r)
		}
		if looked++; looked == reading.MaxScanned {
			return takenClaim{}, errSearchSnapshot
		}
	}
	return takenClaim{}, nil
}

// searchQueue returns the first handoff of the caller's queue that the caller may claim, or zero. It searches the whole
// queue in a snapshot and writes nothing. It passes over damaged records, and over records with an overdue change,
// because a search cannot apply the change. [op.takeHandoff] checks the found handoff again.
func (s *Service) searchQueue(v *store.View, by schemas.Caller, tags []string) (schemas.ID, error) {
	a, err := sessions.AgentOrNew(v, by.Agent)
	if err != nil {
		return 0, err
	}
	for r, err := range s.offers(v).Queue(a, tags, s.readUndue(v)) {
		if r != nil || err != nil {
			return schemas.ValueOrZero(r).ID, err
		}
	}
	return 0, nil
}

// readUndue returns a function that reads the record of a handoff, nil for a damaged record and for one with an overdue
// change. It logs nothing, because each claim logs damaged records.
func (s *Service) readUndue(v *store.View) func(schemas.ID) *store.Record {
	now := store.TimeOf(s.Now())
	return func(id schemas.ID) *store.Record {
		r, err := v.Record(id)
		if err != nil || r == nil || r.Wakes != 0 && r.Wakes <= now {
			return nil
		}
		return r
	}
}

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

// errLookFurther undoes a transaction that passed over as many as it may.
const errLookFurther operation.Undo = "what is wanted lies further back in the mailbox"

// claimNext takes the first handoff that the caller may take: first what it held over a connection that is gone, then
// the mailboxes in the order of claiming. Where a transaction would pass over more than [reading.MaxScanned], as with a
// tag that few handoffs have, the handoff is searched for outside of it, on a snapshot that holds up no writer, and
// then taken if it still waits. Where another was faster each time, it gives up after 64 tries with the conflict. The
// result is empty, and nothing is remembered, when the caller may take nothing.
//
// Within a transaction the order of claiming is exact: no other claim comes in between. After a search outside of it
// the handoff is judged again when it is taken. Where another took it meanwhile the search begins anew. Where one that
// comes earlier was sent meanwhile, that one stays for the next claim.
//
// The result is remembered under the request id where something was taken, in the transaction that took it.
func (s *Service) claimNext(ctx context.Context, by schemas.Caller, tags []string) (takenClaim, error) {
	// It may run more than once, so it assigns all that it gives.
	first := func(o *op) (takenClaim, error) {
		got, err := o.reclaim()
		if got.ID == 0 && err == nil {
			got, err = o.claimFirst(tags)
		}
		if got.ID == 0 {
			o.SkipReceipt() // a repeat looks again
		}
		return got, err
	}
	for tries := 0; ; tries++ {
		got, err := mutate(ctx, s, by, first)
		if !errors.Is(err, errLookFurther) {
			return got, err
		}
		if _, err := s.engine.CatchUp(ctx); err != nil { // the transaction was undone, and with it what the clock had changed
			return takenClaim{}, err
		}
		id, err := s.searchQueue(ctx, by, tags)
		if id == 0 || err != nil {
			return takenClaim{}, err
		}
		got, err = mutate(ctx, s, by, func(o *op) (takenClaim, error) {
			return o.claimByID(id.String()) // which is refused, if another took, redirected or ended it since
		})
		e := schemas.AsError(err)
		lost := e != nil && (e.Code == schemas.Conflict || e.Code == schemas.Denied)
		if !lost || tries == lookback {
			return got, err
		}
	}
}

// claimFirst takes the first handoff of the caller's mailboxes that it may take, zero for none. The error is
// errLookFurther after a thousand that it may not.
//
// Records that are damaged or not for the caller count among the thousand: the bound is on what is read, because all
// other writers wait meanwhile. Agents that are at their limit are offered only their own mailbox, see
// [offer.Offers.Queue].
func (o *op) claimFirst(tags []string) (takenClaim, error) {
	a, err := o.Self()
	if err != nil {
		return takenClaim{}, err
	}
	looked := 0
	for r, err := range o.Offers().Queue(*a, tags, o.UsableRecord) {
		if err != nil {
			return takenClaim{}, err
		}
		if r != nil {
			return o.take(life.Claim, r)
		}
		if looked++; looked == reading.MaxScanned {
			return takenClaim{}, errLookFurther
		}
	}
	return takenClaim{}, nil
}

// searchQueue is the first handoff of the caller's mailboxes that it may take, zero for none. It looks at all of them,
// on one snapshot, writes nothing, and passes over damaged records and over those whose time is due. What is due is
// passed over because a snapshot cannot apply it: it may be over by now. The caller applied the clock just before, so
// little is. Only the id is given, and [op.take] judges again.
func (s *Service) searchQueue(ctx context.Context, by schemas.Caller, tags []string) (schemas.ID, error) {
	now := store.At(s.Now())
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.ID, error) {
		a, err := sessions.AgentOrNew(v, by.Agent)
		if err != nil {
			return 0, err
		}
		read := func(id schemas.ID) *store.Record { // the claim that passed over it before has logged what is damaged
			r, err := v.Record(id)
			if err != nil || r == nil || r.Wakes != 0 && r.Wakes <= now {
				return nil
			}
			return r
		}
		for r, err := range s.offers(v).Queue(a, tags, read) {
			if r != nil || err != nil {
				return schemas.OrZero(r).ID, err
			}
		}
		return 0, nil
	})
}

package mailbox

import (
	"context"
	"errors"
	"slices"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// claimNext takes the first handoff that the caller may take: first what it held over a connection that is gone, then
// the mailboxes in the order of claiming. Where a transaction would pass over more than [mostLooked], as with a
// tag that few handoffs have, the handoff is searched for outside of it, on a snapshot that holds up no writer, and
// then taken if it still waits. Where another was faster each time, it gives up after 64 tries with the conflict. The
// result is empty, and nothing is remembered, when the caller may take nothing.
func (s *Service) claimNext(ctx context.Context, by schemas.Caller, tags []string) (claimed, error) {
	first := func(o *op) (claimed, error) {
		got, err := o.reclaim()
		if got.ID == 0 && err == nil {
			got, err = o.claimFirst(tags)
		}
		o.fruitless = got.ID == 0 // so that a repeat looks again
		return got, err
	}
	for tries := 0; ; tries++ {
		got, err := mutate(ctx, s, by, first)
		if !errors.Is(err, errLookFurther) {
			return got, err
		}
		if err := s.catchUp(ctx); err != nil { // the transaction was undone, and with it what the clock had changed
			return claimed{}, err
		}
		id, err := s.searchQueue(ctx, by, tags)
		if id == 0 || err != nil {
			return claimed{}, err
		}
		got, err = mutate(ctx, s, by, func(o *op) (claimed, error) { return o.claimFound(id) })
		e := schemas.AsError(err)
		lost := e != nil && (e.Code == schemas.Conflict || e.Code == schemas.Denied) // another took or redirected it
		if !lost || tries == lookedBack {
			return got, err
		}
	}
}

// claimFound takes a handoff that was found outside the transaction, if it still waits. The error is conflict or denied
// if another took, redirected or ended it since.
func (o *op) claimFound(id schemas.ID) (claimed, error) {
	r, err := o.find(id.String())
	if err != nil {
		return claimed{}, err
	}
	return o.take(life.Claim, r)
}

// claimFirst takes the first handoff of the caller's mailboxes that it may take, zero for none. The error is
// errLookFurther after a thousand that it may not.
func (o *op) claimFirst(tags []string) (claimed, error) {
	a, err := o.me()
	if err != nil {
		return claimed{}, err
	}
	boxes, err := claimsFrom(o.View, *a, o.orphaned)
	if err != nil {
		return claimed{}, err
	}
	looked := 0
	for id, err := range o.Queue(boxes...) {
		if err != nil {
			return claimed{}, err
		}
		r := o.usable(id)
		if r != nil && r.Status == schemas.Pending && slices.Contains(boxes, r.Box) && mayTake(r, a.Card, tags) {
			return o.take(life.Claim, r)
		}
		if looked++; looked == mostLooked {
			return claimed{}, errLookFurther
		}
	}
	return claimed{}, nil
}

// mayTake tells whether an agent takes a handoff that waits in one of its mailboxes, by its tags. A handoff that is
// reserved for a sibling goes back to the pool, so the agent leaves it. One that the agent declined it never gets
// again, unless it is sent to the agent by name, and one of a pool that it is unfit for, see [roster.Unfit], it leaves
// to others.
func mayTake(r *store.Record, card schemas.Card, tags []string) bool {
	return !slices.Contains(r.Excluded, card.Name) && compose.HasTag(r.Tags, tags) && unfit(r, card) == "" &&
		(r.Reserved == 0 || r.Box == schemas.Address(card.Name))
}

// unfit says why an agent may not take a handoff of a pool that it qualifies for, as long as it does not register
// otherwise; "" for one that may, and for what is for the agent alone.
func unfit(r *store.Record, card schemas.Card) string {
	if _, directed := r.To.Directed(); directed || r.Box == schemas.Address(card.Name) {
		return ""
	}
	return roster.Unfit(card, roster.Want{To: r.To, Type: r.Type, Estimate: estimate(r)})
}

// searchQueue is the first handoff of the caller's mailboxes that it may take, zero for none. It looks at all of them,
// on one snapshot, writes nothing, and passes over damaged records and over those whose time is due.
func (s *Service) searchQueue(ctx context.Context, by schemas.Caller, tags []string) (found schemas.ID, err error) {
	now := store.At(s.Now())
	err = s.Store.View(ctx, func(v *store.View) error {
		found = 0
		a, err := agentNamed(v, by.Agent)
		if err != nil {
			return err
		}
		boxes, err := claimsFrom(v, a, s.orphaned)
		if err != nil {
			return err
		}
		for id, err := range v.Queue(boxes...) {
			if err != nil {
				return err
			}
			r, err := v.Record(id)
			if err != nil || r == nil || r.Wakes != 0 && r.Wakes <= now {
				continue // the claim that passed over it before has logged it
			}
			if mayTake(r, a.Card, tags) {
				found = id
				return nil
			}
		}
		return nil
	})
	return found, s.coded(err)
}

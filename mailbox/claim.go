package mailbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// voidedKept is how many tokens of earlier claims are known, to tell a lost claim from a wrong token.
const voidedKept = 8

// Claim takes the next handoff for the caller, or a given one, and waits for one if asked. A claim whose
// answer can no longer be delivered is given back, uncharged.
func (s *Service) Claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (schemas.ClaimOut, error) {
	taken, err := s.claim(ctx, by, in)
	if err == nil && taken == nil && in.WaitSeconds > 0 {
		taken, err = s.claimLater(ctx, by, in)
	}
	switch {
	case err != nil:
		return schemas.ClaimOut{}, err
	case taken == nil:
		return schemas.ClaimOut{Empty: true}, nil
	case ctx.Err() != nil:
		return schemas.ClaimOut{}, s.giveBack(by, taken)
	}
	return s.claimAnswer(ctx, by, in, taken)
}

// claimLater waits for something to claim; nil when the wait is over.
func (s *Service) claimLater(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (*store.Record, error) {
	until := s.Now().Add(time.Duration(in.WaitSeconds) * time.Second)
	for {
		woken, stop, err := s.listen(ctx, by.Agent)
		if err != nil {
			return nil, err
		}
		taken, err := s.claim(ctx, by, in) // after listening began: nothing is missed
		if taken == nil && err == nil && s.Now().Before(until) {
			err = s.sleep(ctx, woken, until)
			stop()
			if err != nil {
				return nil, err
			}
			continue
		}
		stop()
		return taken, err
	}
}

// listen begins to wait for mail in the boxes of an agent.
func (s *Service) listen(ctx context.Context, agent schemas.Agent) (woken <-chan struct{}, stop func(), err error) {
	var boxes []schemas.Address
	err = s.Store.View(ctx, func(v *store.View) error {
		boxes, err = boxesOf(v, agent)
		return err
	})
	if err != nil {
		return nil, nil, s.coded(err)
	}
	woken, stop = s.hub.wait(boxes)
	return woken, stop, nil
}

// sleep waits until it is woken, until the clock changes something, or until the end of the wait.
func (s *Service) sleep(ctx context.Context, woken <-chan struct{}, until time.Time) error {
	now := s.Now()
	end := until
	if due, err := s.nextDue(ctx); err != nil {
		return err
	} else if !due.IsZero() && due.Before(end) {
		end = due
	}
	timer := time.NewTimer(max(end.Sub(now), time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return s.coded(ctx.Err())
	case <-woken:
	case <-timer.C:
	}
	return nil
}

// claim takes one; nil when nothing waits. Where many are passed over, what is wanted is searched for
// outside the transaction, and then taken if it is still there.
func (s *Service) claim(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (*store.Record, error) {
	r, err := s.claimOnce(ctx, by, in)
	for errors.Is(err, errLookFurther) {
		if in.HandoffID, err = s.searchQueue(ctx, by, in.Tags); in.HandoffID == "" || err != nil {
			return nil, err
		}
		if r, err = s.claimOnce(ctx, by, in); err == nil {
			return r, nil
		}
		in.HandoffID = "" // somebody else took it: search again
		r, err = s.claimOnce(ctx, by, in)
	}
	return r, err
}

// errLookFurther means that a transaction passed over as many as it may.
var errLookFurther = errors.New("what is wanted lies further back in the mailbox")

// searchQueue gives the first of the caller's queue that it may take, as an id, or "".
func (s *Service) searchQueue(ctx context.Context, by schemas.Caller, tags []string) (found string, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		found = ""
		boxes, err := boxesOf(v, by.Agent)
		if err != nil {
			return err
		}
		for id, err := range v.Queue(boxes...) {
			if err != nil {
				return err
			}
			r, err := v.Record(id)
			if err != nil {
				return err
			}
			if mayTake(r, by.Agent, tags) {
				found = id.String()
				return nil
			}
		}
		return nil
	})
	return found, s.coded(err)
}

func mayTake(r *store.Record, a schemas.Agent, tags []string) bool {
	return !slices.Contains(r.Excluded, a) && anyOf(r.Tags, tags)
}

// claimOnce takes one in one transaction.
func (s *Service) claimOnce(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (*store.Record, error) {
	return mutate(ctx, s, by, func(o *op) (r *store.Record, err error) {
		if in.HandoffID != "" {
			return o.claimGiven(in.HandoffID)
		}
		if r, err = o.orphan(); r != nil || err != nil {
			return r, err
		}
		r, err = o.claimNext(in.Tags)
		o.fruitless = r == nil // a repeat looks again
		return r, err
	})
}

func (o *op) claimNext(tags []string) (*store.Record, error) {
	boxes, err := o.boxesOfCaller()
	if err != nil {
		return nil, err
	}
	looked := 0
	for id, err := range o.Queue(boxes...) {
		if err != nil {
			return nil, err
		}
		r, err := o.Record(id)
		if err != nil {
			return nil, err
		}
		if mayTake(r, o.by.Agent, tags) {
			return o.take(actClaim, r)
		}
		if looked++; looked == scanned {
			return nil, errLookFurther
		}
	}
	return nil, nil
}

// anyOf tells whether one of the wanted tags is there; wanting none is always met.
func anyOf(tags, wanted []string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(t string) bool { return slices.Contains(tags, t) })
}

// claimGiven takes a handoff by its id. What the caller holds already is given to it again: the same claim
// over the same connection, a new one where the old connection is gone.
func (o *op) claimGiven(id string) (*store.Record, error) {
	r, err := o.find(id)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Status.Held() && r.Holder == o.by.Agent && o.sameHand(r) && o.by.Conn != "":
		return r, nil
	case r.Status.Held() && r.Holder == o.by.Agent && !o.conns.live(r.Conn):
		return o.take(actReclaim, r)
	case r.Status == schemas.Pending && r.Blocked():
		return nil, schemas.Errorf(schemas.Conflict, "%s waits for %v", r.ID, blockedBy(r)).
			About(r.ID, r.Status, 0).WithHint("get_handoff with wait_seconds tells when that changes.")
	case r.Status == schemas.Pending && r.Box == "":
		return nil, schemas.Errorf(schemas.Conflict, "%s may not be claimed before %s", r.ID, r.NotBefore.Time().Format(time.RFC3339)).
			About(r.ID, r.Status, 0)
	}
	return o.take(actClaim, r)
}

// orphan takes again what the caller claimed over a connection that is gone: a client that was restarted
// goes on where it was.
func (o *op) orphan() (*store.Record, error) {
	if o.by.Conn == "" {
		return nil, nil
	}
	for id, err := range o.Oldest(store.HeldBy(o.by.Agent), 0) {
		if err != nil {
			return nil, err
		}
		r, err := o.Record(id)
		if err != nil {
			return nil, err
		}
		if r.Conn != "" && !o.conns.live(r.Conn) {
			return o.take(actReclaim, r)
		}
	}
	return nil, nil
}

// take makes the caller the holder, with a new token.
func (o *op) take(a action, r *store.Record) (*store.Record, error) {
	now, err := o.step(a, r)
	if err != nil {
		return nil, err
	}
	if r.Token != "" {
		now.Voided = append([]string{r.Token}, now.Voided...)
		now.Voided = now.Voided[:min(len(now.Voided), voidedKept)]
	}
	if a == actClaim && !r.Uncharged {
		now.Attempt++
	}
	if a == actReclaim {
		now.Status = schemas.Accepted
	}
	now.Claims++
	now.Token, now.Uncharged, now.Reserved, now.Box = o.NewID("ct"), false, 0, ""
	now.Holder, now.HolderID, now.Conn, now.Via = o.by.Agent, o.by.AgentID, o.by.Conn, o.by.Via
	if now.Claimed == 0 {
		now.Claimed = store.At(o.now)
	}
	o.touch(&now)
	if err := o.put(a, r, &now, schemas.Event{}, store.Content{}); err != nil {
		return nil, err
	}
	return &now, o.countClaim()
}

// countClaim notes the first claim of an agent: from then on its mailbox is known to be read.
func (o *op) countClaim() error {
	a, err := o.me()
	if err != nil || a == nil || a.Claims > 0 {
		return err
	}
	a.Claims++
	return o.tx.PutAgent(*a)
}

// giveBack releases a claim that could not be delivered. The context of the call is over, so it is not used.
func (s *Service) giveBack(by schemas.Caller, r *store.Record) error {
	by.Request = ""
	err := s.update(context.Background(), by, func(o *op) error {
		r, err := o.Record(r.ID)
		if err != nil {
			return err
		}
		return o.release(r, "", "")
	})
	if err != nil {
		return err
	}
	return schemas.Errorf(schemas.Unavailable, "the call was cancelled; %s was given back", r.ID)
}

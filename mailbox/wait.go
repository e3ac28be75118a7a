package mailbox

import (
	"context"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// claimLater waits for something to claim.
func (s *Service) claimLater(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (claimed, error) {
	until := s.Now().Add(time.Duration(in.WaitSeconds) * time.Second)
	for {
		woken, stop, err := s.listen(ctx, by.Agent)
		if err != nil {
			return claimed{}, err
		}
		got, err := s.claim(ctx, by, in) // after listening began: nothing is missed
		if got.ID != 0 || err != nil || !s.Now().Before(until) {
			stop()
			return got, err
		}
		err = s.sleep(ctx, woken, until)
		stop()
		if err != nil {
			return claimed{}, err
		}
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

// await waits until a handoff changes, ends, or the wait is over. Who waits for the outcome is not woken by
// less.
func (s *Service) await(ctx context.Context, in schemas.GetIn) error {
	until := s.Now().Add(time.Duration(in.WaitSeconds) * time.Second)
	first := uint64(0)
	for {
		changed := s.hub.anything()
		var last *store.Record
		err := s.read(ctx, func(v *store.View) (err error) {
			last, err = find(v, in.HandoffID)
			return err
		})
		if err != nil || last.Status.Ended() || !s.Now().Before(until) {
			return err
		}
		if first == 0 {
			first = last.Event
		}
		if last.Event != first && in.View != "outcome" {
			return nil
		}
		if err := s.sleep(ctx, changed, until); err != nil {
			return err
		}
	}
}

// sleep waits until it is woken, until the clock changes something, or until the end of the wait.
func (s *Service) sleep(ctx context.Context, woken <-chan struct{}, until time.Time) error {
	due, err := s.nextDue(ctx)
	if err != nil {
		return err
	}
	now := s.Now()
	end := until
	if due.After(now) && due.Before(end) { // what was due before could not be applied: it wakes nobody
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

package mailbox

import (
	"context"
	"slices"
	"time"

	"handoff/mailbox/longpoll"
	"handoff/mailbox/names"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// claimWaiting claims the next handoff for the caller as soon as there is one, in its turn, until its wait ends. The
// result is empty if none came. The error is unavailable if ctx ends first; else it comes from the claim.
//
// It keeps to the protocol of [longpoll.Waiter]: it joins the queues of its mailboxes before it looks, spends the
// permit for the handoff that it claimed, and passes on the other permits. The caller says since when it waits, so a
// wait that continues at another process gets its old place.
func (s *Service) claimWaiting(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (takenClaim, error) {
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	w := s.hub.Arrive(since, until)
	w.Choosy = len(in.Tags) > 0
	defer w.Leave()
	for {
		mayFind, err := s.joinQueues(ctx, w, by.Agent)
		if err != nil {
			return takenClaim{}, err
		}
		if mayFind {
			got, err := s.claim(ctx, by, in)
			if got.ID != 0 || err != nil {
				w.Spend(got.box)
				return got, err
			}
			s.passPermits(ctx, w)
		}
		if unread, err := s.hasUnread(ctx, by.Agent); unread || err != nil {
			return takenClaim{}, err // the result shows the notices, see [Service.emptyClaim]
		}
		if !s.Now().Before(until) {
			return takenClaim{}, nil
		}
		if err := s.sleep(ctx, w.Woken(), until); err != nil {
			return takenClaim{}, err
		}
	}
}

// joinQueues puts a waiter into the queues of the mailboxes from which its agent claims now, and tells whether the
// waiter should look into them. It reads the mailboxes anew each time, since an agent may register, or hold less, while
// it waits. The place of the waiter counts from the beginning of its wait, also in a queue that it joins later.
func (s *Service) joinQueues(ctx context.Context, w *longpoll.Waiter, name schemas.Agent) (mayFind bool, err error) {
	boxes, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.Address, error) {
		a, err := sessions.AgentOrNew(v, name)
		if err != nil {
			return nil, err
		}
		return s.offers(v).LongPollBoxes(a)
	})
	return err == nil && w.Join(boxes), err
}

// passPermits passes on the permits that found nothing to the next waiters, for mailboxes that still have mail: another
// agent may claim mail that this one may not. If the store cannot be read, it passes on all permits, because a futile
// look does no harm and forgotten mail does.
func (s *Service) passPermits(ctx context.Context, w *longpoll.Waiter) {
	inUse := w.InUse()
	if len(inUse) == 0 {
		return
	}
	pending, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.Address, error) {
		return slices.DeleteFunc(slices.Clone(inUse), func(box schemas.Address) bool {
			m, err := v.Mailbox(box)
			return err == nil && m.Pending == 0 && m.Unread == 0
		}), nil
	})
	if err != nil {
		pending = inUse // mail may be left, so the next waiters look
	}
	w.PassOn(pending)
}

// hasUnread tells whether an agent has an unread notice.
func (s *Service) hasUnread(ctx context.Context, a schemas.Agent) (some bool, err error) {
	m, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (store.Mailbox, error) { return v.Mailbox(schemas.Address(a)) })
	return m.Unread > 0, err
}

// awaitNews waits until the caller has an unread notice, or more to claim than at the beginning, or until the wait is
// over. It tells whether there is more to claim.
//
// It compares with the lowest count so far, so it also reports mail that comes after another agent claimed some. The
// error is unavailable if ctx ends first.
func (s *Service) awaitNews(ctx context.Context, by schemas.Caller, seconds int) (mail bool, err error) {
	_, until := longpoll.WaitPeriod(by, seconds, s.Now())
	least := -1
	err = s.pollUntil(ctx, until, func() (bool, error) {
		s.engine.ApplyTime(ctx)
		has, err := s.Inbox(ctx, by.Agent)
		if least < 0 || has.Pending < least {
			least = has.Pending
		}
		mail = has.Pending > least
		return mail || has.Notices > 0, err
	})
	return mail && err == nil, err
}

// pollUntil calls look, and again after each change of the workspace, until look returns true or the wait is over.
//
// It subscribes to the next change before it looks, so a change during the look ends the sleep. The number of looks has
// no bound: each change of the workspace causes one.
func (s *Service) pollUntil(ctx context.Context, until time.Time, look func() (over bool, err error)) error {
	for {
		changed := s.hub.NextChange()
		if over, err := look(); err != nil || over || !s.Now().Before(until) {
			return err
		}
		if err := s.sleep(ctx, changed, until); err != nil {
			return err
		}
	}
}

// isJudgedByOthers tells whether a result does not count yet because another agent than the given one reviews it.
func isJudgedByOthers(v *store.View, r *store.Record, a schemas.Agent) bool {
	if r.Reviewer == "" || r.Status != schemas.Completed || r.Accepted != 0 {
		return false
	}
	review := reading.RecordOrNil(v, r.Review)
	return review != nil && !review.Status.Ended() && review.To != schemas.Address(a) && review.Holder != a
}

// awaitChange waits until a handoff changes, or with view outcome until it ends and its result counts, or until the
// wait is over. It returns at once if the caller should answer a question, and if the caller's own question was
// answered: nothing would happen during the wait. A change is a newer event than the last one at the beginning of the
// wait, whose number it returns. The end of the wait is no error: the caller sees the current state.
func (s *Service) awaitChange(ctx context.Context, by schemas.Caller, in schemas.GetIn) (first uint64, err error) {
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	err = s.pollUntil(ctx, until, func() (bool, error) {
		return operation.Read(ctx, s.engine, func(v *store.View) (over bool, err error) {
			r, err := reading.Find(v, in.HandoffID, by.Agent)
			if err != nil {
				return false, err
			}
			if first == 0 {
				first = eventAt(v, r, since)
			}
			over, err = isAsked(v, r, by.Agent)
			return over || isAnswered(r, by) || r.Status.Ended() && !isJudgedByOthers(v, r, by.Agent) || r.Event != first && in.View != "outcome", err
		})
	})
	return first, err
}

// isAsked tells whether a question about a handoff waits for an answer by an agent.
func isAsked(v *store.View, r *store.Record, a schemas.Agent) (bool, error) {
	if r.Status != schemas.Waiting || a == "" {
		return false, nil
	}
	who, err := reading.AwaitedAnswerer(v, r)
	return who == a, err
}

// isAnswered tells whether the caller's question about a handoff was answered and the handoff waits for the caller. It
// compares only the name of the agent; [sameSession] tells whether the caller is the session that asked.
func isAnswered(r *store.Record, by schemas.Caller) bool {
	return r.Status == schemas.Pending && r.Uncharged && by.Agent != "" && r.Asker == by.Agent
}

// eventAt returns the number of a handoff's last event, or of the event before if the last one is later than since.
// With it a wait that continues at another process misses no change. It looks back by one event, which is enough to see
// that the handoff changed.
func eventAt(v *store.View, r *store.Record, since time.Time) uint64 {
	e, err := v.Event(r.Event)
	if err != nil || e == nil || !e.At.After(since) {
		return r.Event
	}
	return e.Before
}

// sleep sleeps until woken is signalled, the clock changes a handoff, or the wait ends. It applies due changes, so
// waiting calls notice ended leases and deadlines although no other call comes. It also wakes when the connections of
// an earlier service count as gone, because mail of their sessions may then be claimed. The error is unavailable if ctx
// ends.
func (s *Service) sleep(ctx context.Context, woken <-chan struct{}, until time.Time) error {
	due, err := s.engine.NextDue(ctx, s.Now())
	if err == nil && !due.IsZero() && !due.After(s.Now()) { // it came due during the look
		if s.engine.ApplyTime(ctx) {
			return nil // the caller looks, and its next sleep applies the rest
		}
		due, err = s.engine.NextDue(ctx, s.Now())
	}
	if err != nil {
		return err
	}
	now := s.Now()
	end := until
	for _, t := range []time.Time{due, s.here.Started.Add(names.Settling)} {
		if t.After(now) && t.Before(end) { // an overdue change could not be applied, so sleep does not wait for it
			end = t
		}
	}
	timer := time.NewTimer(max(end.Sub(now), time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return operation.Coded(ctx.Err())
	case <-woken:
	case <-timer.C:
		s.engine.ApplyTime(ctx)
	}
	return nil
}

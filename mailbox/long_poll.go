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
// result is empty when nothing came. The error is unavailable when ctx ends first, and else that of a claim.
//
// It keeps to the protocol of [longpoll.Waiter]: it joins the queues of its mailboxes before it looks, spends the permit
// for what it took, and passes on the others. A wait that is taken up again at another process has its old place,
// because the caller says since when it waits.
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
			return takenClaim{}, err // it is told, see [Service.emptyClaim]
		}
		if !s.Now().Before(until) {
			return takenClaim{}, nil
		}
		if err := s.sleep(ctx, w.Woken(), until); err != nil {
			return takenClaim{}, err
		}
	}
}

// joinQueues puts a waiter into the queues of the mailboxes that its agent claims from now, and tells whether it is to
// look into them. The mailboxes are read anew each time, since an agent may register, or hold less, while it waits. The
// caller's place is that of the time since when it waits, also in a queue that it joins later.
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

// passPermits gives the permits for which a waiter looked in vain to the waiters behind it, where mail is left: another
// may take what this one may not. Where the store cannot be read, all permits are passed on, since a look in vain does
// no harm and mail that lies does.
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
		pending = inUse // where nobody knows whether mail is left, those behind look
	}
	w.PassOn(pending)
}

// hasUnread tells whether an agent has a notice that it has not read.
func (s *Service) hasUnread(ctx context.Context, a schemas.Agent) (some bool, err error) {
	m, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (store.Mailbox, error) { return v.Mailbox(schemas.Address(a)) })
	return m.Unread > 0, err
}

// awaitNews waits until the caller has an unread notice, or more to claim than at the beginning, or until the wait is
// over. It tells whether there is more to claim.
//
// It counts from the least that it saw, so mail that comes after another agent took some is told, too. A wait that is
// cut off is an error.
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

// pollUntil looks, and again after each change, until look says that it is over, or the wait is.
//
// It asks for the next change before it looks, so a change that comes while it looks ends the sleep. Looks are not
// bounded in number: each change of the workspace is one, whomever it concerns.
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

// isJudgedByOthers tells whether a result does not count yet, and another agent than the given one is to review it.
func isJudgedByOthers(v *store.View, r *store.Record, a schemas.Agent) bool {
	if r.Reviewer == "" || r.Status != schemas.Completed || r.Accepted != 0 {
		return false
	}
	review := reading.RecordOrNil(v, r.Review)
	return review != nil && !review.Status.Ended() && review.To != schemas.Address(a) && review.Holder != a
}

// awaitChange waits until a handoff changes, or with view outcome until it ends and its result counts, or until the wait is
// over. It ends at once where the caller is asked, and where its own question was answered: nothing would happen while
// it waits. A change is a newer event of the handoff than the one at the beginning of the wait, whose number is given.
// That the wait is over is no error: the caller is shown what is.
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

// isAsked tells whether a question about a handoff waits for an answer of an agent.
func isAsked(v *store.View, r *store.Record, a schemas.Agent) (bool, error) {
	if r.Status != schemas.Waiting || a == "" {
		return false, nil
	}
	who, err := reading.AwaitedAnswerer(v, r)
	return who == a, err
}

// isAnswered tells whether the caller's question about a handoff was answered, and the handoff waits for it to go on. The
// agent is told apart by its name alone; [sameSession] tells whether it is the session that asked.
func isAnswered(r *store.Record, by schemas.Caller) bool {
	return r.Status == schemas.Pending && r.Uncharged && by.Agent != "" && r.Asker == by.Agent
}

// eventAt is the last event of a handoff, or the event before if the last is later than since: a wait that is taken up
// again does not miss what changed meanwhile. It looks back by one event, which is enough to see that something
// changed.
func eventAt(v *store.View, r *store.Record, since time.Time) uint64 {
	e, err := v.Event(r.Event)
	if err != nil || e == nil || !e.At.After(since) {
		return r.Event
	}
	return e.Before
}

// sleep waits until it is woken, until the clock changes something, or until the end of the wait. It applies what the
// clock has changed, so those who wait hear of leases and deadlines though nobody calls. It wakes once more when
// connections of an earlier service count as gone, because mail of their sessions may be taken then. The error is
// unavailable when ctx ends.
func (s *Service) sleep(ctx context.Context, woken <-chan struct{}, until time.Time) error {
	due, err := s.engine.NextDue(ctx, s.Now())
	if err == nil && !due.IsZero() && !due.After(s.Now()) { // it came while this one looked
		if s.engine.ApplyTime(ctx) {
			return nil // more is due: the caller looks, and the next sleep goes on
		}
		due, err = s.engine.NextDue(ctx, s.Now())
	}
	if err != nil {
		return err
	}
	now := s.Now()
	end := until
	for _, t := range []time.Time{due, s.here.Started.Add(names.Settling)} {
		if t.After(now) && t.Before(end) { // what is overdue could not be applied, so nobody waits for it
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

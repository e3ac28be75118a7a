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

// claimOrWait claims the next handoff for the caller. If there is none, it waits until mail comes and it is the turn of
// this call among the waiting calls. The result is empty if no mail came before the wait ended. The error is
// unavailable if ctx ends first. Otherwise the error comes from the claim.
//
// The call joins the lists of waiting calls before it looks for mail, so that it misses no mail, see [longpoll.Waiter].
// When mail comes, the hub of package longpoll gives a permit to one waiting call, which then looks for mail.
// claimOrWait uses up the permit of the mailbox from which it claimed, and passes its other permits on. A wait that
// continues at another process keeps its place in the lists, because the caller says when its wait began.
func (s *Service) claimOrWait(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (got takenClaim, err error) {
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	w := s.hub.ResumeWaiter(by, since, until)
	w.OnlyWithTags = len(in.Tags) > 0
	defer func() { s.leaveWait(by, w, err) }()
	err = s.pollUntil(ctx, by, until, w.WakeSignal, func() (over bool, err error) {
		if by.Arrives {
			return false, nil
		}
		if by.Poll > 0 { // nobody sleeps until the next change by time
			s.engine.TryApplyDueChanges(ctx)
		}
		s.offerLostWork(ctx)
		mayFind, err := s.joinWaitingLists(ctx, w, by.Agent)
		if err != nil {
			return false, err
		}
		if mayFind {
			if got, err = s.claim(ctx, by, in); got.ID != 0 || err != nil {
				w.SpendPermit(got.box)
				return true, err
			}
			s.passPermits(ctx, w)
		}
		return s.hasUnreadNotice(ctx, by.Agent) // the result shows the notices, see [Service.emptyClaimResult]
	})
	return got, err
}

// joinWaitingLists puts a waiting call into the lists of waiting calls of all mailboxes from which its agent may claim
// now. It reports whether the call should look for mail in these mailboxes. It finds the mailboxes anew at each call,
// because the agent may register for other pools during the wait. The place in each list counts from the beginning of
// the wait.
func (s *Service) joinWaitingLists(ctx context.Context, w *longpoll.Waiter, name schemas.Agent) (mayFind bool, err error) {
	boxes, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.Address, error) {
		a, err := sessions.AgentOrNew(v, name)
		if err != nil {
			return nil, err
		}
		return s.offers(v).LongPollBoxes(a)
	})
	return err == nil && w.JoinLists(boxes), err
}

// passPermits passes on the permits with which this call found no mail. A permit asks one waiting call to look for
// mail, see [longpoll.Waiter]. Another agent may be allowed to claim the mail, so the next waiting call gets the
// permit, unless the mailbox is empty. If the store cannot be read, all permits are passed on, because a useless search
// does no harm.
func (s *Service) passPermits(ctx context.Context, w *longpoll.Waiter) {
	inUse := w.PermitsInUse()
	if len(inUse) == 0 {
		return
	}
	pending, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) ([]schemas.Address, error) {
		return slices.DeleteFunc(slices.Clone(inUse), func(box schemas.Address) bool {
			m, err := v.Counters(box)
			return err == nil && m.Pending == 0 && m.Unread == 0
		}), nil
	})
	if err != nil {
		pending = inUse // mail may be left, so the next waiters look
	}
	w.PassOnPermits(pending)
}

// hasUnreadNotice reports whether an agent has an unread notice.
func (s *Service) hasUnreadNotice(ctx context.Context, a schemas.Agent) (some bool, err error) {
	m, err := operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (store.Counters, error) { return v.Counters(schemas.Address(a)) })
	return m.Unread > 0, err
}

// awaitMail waits until the caller has an unread notice or more mail to claim, or until the wait is over. The result
// `mail` reports whether the caller has more mail to claim: more claimable handoffs than the lowest number during this
// wait. The lowest number counts, because another agent may claim old mail before new mail comes. The error is
// unavailable if ctx ends first.
func (s *Service) awaitMail(ctx context.Context, by schemas.Caller, seconds int) (mail bool, err error) {
	since, until := longpoll.WaitPeriod(by, seconds, s.Now())
	least := -1
	defer func() { s.leaveWait(by, nil, err) }()
	err = s.pollUntil(ctx, by, until, s.hub.NextChange, func() (bool, error) {
		s.engine.TryApplyDueChanges(ctx)
		if by.Poll > 0 { // no look knows how many there were at another
			if mail, err = s.hasMailSince(ctx, by.Agent, since); mail || err != nil {
				return mail, err
			}
		}
		has, err := s.Inbox(ctx, by.Agent)
		if least < 0 || has.Pending < least {
			least = has.Pending
		}
		mail = has.Pending > least
		return mail || has.Notices > 0, err
	})
	return mail && err == nil, err
}

// hasMailSince reports whether the agent may claim a handoff that changed after the given time. It reads the first
// [reading.MaxScanned] handoffs of the queue.
func (s *Service) hasMailSince(ctx context.Context, name schemas.Agent, since time.Time) (some bool, err error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (bool, error) {
		a, err := sessions.AgentOrNew(v, name)
		if err != nil {
			return false, err
		}
		for r, err := range reading.AtMost(reading.MaxScanned, s.offers(v).Queue(a, nil, s.readUndue(v))) {
			if err == nil && r != nil {
				var e *schemas.Event
				e, err = v.Event(r.Event)
				some = e != nil && e.At.After(since)
			}
			if some || err != nil {
				return some, err
			}
		}
		return false, nil
	})
}

// pollUntil calls look, and again after each signal, until look returns true or the wait is over. It gets the channel of
// the next signal from next, for example of the next change of the workspace, before each call of look. So it does not
// miss a signal that comes while look runs. For a caller that polls it calls look once, and returns the error unfinished
// if the wait is not over.
func (s *Service) pollUntil(
	ctx context.Context, by schemas.Caller, until time.Time, next func() <-chan struct{}, look func() (over bool, err error),
) error {
	for {
		changed := next()
		over, err := look()
		switch {
		case err != nil || over:
			return err
		case by.Poll > 0:
			return schemas.Errorf(schemas.Unfinished, "%s waits for mail", by.Agent)
		case !s.Now().Before(until):
			return nil
		}
		if err := s.sleepUntilChange(ctx, changed, until); err != nil {
			return err
		}
	}
}

// isReviewedByAnother reports whether the result of r does not count yet because another agent than the given agent
// reviews it.
func isReviewedByAnother(v *store.View, r *store.Record, a schemas.Agent) bool {
	if r.Reviewer == "" || r.Status != schemas.Completed || r.Accepted != 0 {
		return false
	}
	review := reading.RecordOrNil(v, r.Review)
	return review != nil && !review.Status.HasEnded() && review.To != schemas.Address(a) && review.Holder != a
}

// awaitChange waits until a handoff changes, or until the wait is over. With the view "outcome" it waits until the
// handoff ends and its result counts. It returns at once if the caller should answer a question about the handoff, or
// if the caller's own question was answered. The result `first` is the number of the handoff's last event at the
// beginning of the wait. The end of the wait is no error.
func (s *Service) awaitChange(ctx context.Context, by schemas.Caller, in schemas.GetIn) (first uint64, err error) {
	since, until := longpoll.WaitPeriod(by, in.WaitSeconds, s.Now())
	defer func() { s.leaveWait(by, nil, err) }()
	err = s.pollUntil(ctx, by, until, s.hub.NextChange, func() (bool, error) {
		return operation.Read(ctx, s.engine, func(v *store.View) (over bool, err error) {
			earlier, _, err := claimOfLook(v, by)
			if err != nil {
				return false, err
			}
			r, err := reading.FindHandoff(v, in.HandoffID, by.Agent)
			if err != nil {
				return false, err
			}
			if first == 0 {
				first = lastEventBefore(v, r, since)
			}
			over, err = shouldAnswerQuestion(v, r, by.Agent)
			switch {
			case over || err != nil:
				return over, err
			case isQuestionAnswered(r, by), earlier.ID == r.ID, r.Status.HasEnded() && !isReviewedByAnother(v, r, by.Agent), r.Event != first && in.View != "outcome":
				return true, nil
			case by.Poll > 0:
				return s.reportProgress(v, r, by)
			}
			return false, nil
		})
	})
	return first, err
}

// shouldAnswerQuestion reports whether r has an open question that the given agent should answer.
func shouldAnswerQuestion(v *store.View, r *store.Record, a schemas.Agent) (bool, error) {
	if r.Status != schemas.Waiting || a == "" {
		return false, nil
	}
	who, err := reading.AwaitedAnswerer(v, r)
	return who == a, err
}

// isQuestionAnswered reports whether the caller's question about a handoff was answered, so that the handoff waits for
// the caller to claim it again. It compares only the name of the agent. [isClaimingSession] also compares the session.
func isQuestionAnswered(r *store.Record, by schemas.Caller) bool {
	return r.Status == schemas.Pending && r.Uncharged && by.Agent != "" && r.Asker == by.Agent
}

// lastEventBefore returns the number of a handoff's last event. If that event is later than since, it returns the
// number of the event before that one. A wait that continues at another process needs it, to notice a change that came
// between the two processes.
func lastEventBefore(v *store.View, r *store.Record, since time.Time) uint64 {
	e, err := v.Event(r.Event)
	if err != nil || e == nil || !e.At.After(since) {
		return r.Event
	}
	return e.Before
}

// sleepUntilChange sleeps until the channel `woken` gets a signal, the clock changes a handoff, or the wait ends. It
// applies due changes itself, so that a waiting call notices the end of a lease or a deadline even without another
// call. It also wakes when the service gives up connections of an earlier service, because from then on other agents
// may claim the mail of the lost sessions. The error is unavailable if ctx ends.
func (s *Service) sleepUntilChange(ctx context.Context, woken <-chan struct{}, until time.Time) error {
	due, err := s.engine.NextDueTime(ctx, s.Now())
	if err == nil && !due.IsZero() && !due.After(s.Now()) { // it came due during the look
		if s.engine.TryApplyDueChanges(ctx) {
			return nil // the caller looks, and its next sleep applies the rest
		}
		due, err = s.engine.NextDueTime(ctx, s.Now())
	}
	if err != nil {
		return err
	}
	now := s.Now()
	end := until
	for _, t := range []time.Time{due, s.here.Started.Add(names.SettlingTime)} {
		if t.After(now) && t.Before(end) { // an overdue change could not be applied, so sleep does not wait for it
			end = t
		}
	}
	timer := time.NewTimer(max(end.Sub(now), time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return operation.ErrorWithCode(ctx.Err())
	case <-woken:
	case <-timer.C:
		s.engine.TryApplyDueChanges(ctx)
	}
	return nil
}

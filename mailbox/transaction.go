package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// update runs one operation that may change something: what the clock has changed, then fn, then what follows from
// both. Every method that writes goes through it, so these three are always committed together or not at all.
//
// The store may run all of it more than once, so fn assigns its results at its start and touches nothing outside of the
// transaction. An error that fn returns undoes everything. One that it leaves with [op.Refuse] is returned after the
// commit. All errors that leave it have a code, see [Coded].
//
// When it returns without an error, what it wrote is on disk. When the process dies before that, the transaction is
// there as a whole or not at all, and the caller repeats the call: with a request id it then gets what was committed,
// see [mutate].
//
// After the commit it wakes those that wait for what changed, also when the commit failed, since whether it was kept is
// not known then. Where more follows than one transaction carries out, it goes on with that in further transactions
// before it returns, see [Service.settle].
//
// The order within the transaction matters. What the clock has changed comes first, so that fn judges the state that
// holds now. What follows comes last, so that one cascade sees all that fn did. A read of what an earlier call with the
// same request id answered comes in between, in [once], after the clock: so a repeat may be the call that applies what
// is due.
func (s *Service) update(ctx context.Context, by schemas.Caller, fn func(*op) error) error {
	return s.transact(ctx, by, func(o *op) error {
		if err := o.lapse(); err != nil {
			return err
		}
		o.left = MostFollow
		return fn(o)
	})
}

// transact is [Service.update] without what is due.
func (s *Service) transact(ctx context.Context, by schemas.Caller, fn func(*op) error) error {
	leases := s.terms.Judge()
	var o *op
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		o = &op{Service: s, tx: tx, View: &tx.View, By: by, Now: leases.Now, Leases: leases, left: MostFollow}
		var err error
		if o.last, err = tx.Events(); err != nil {
			return err
		}
		if err := o.cutAhead(); err != nil {
			return err
		}
		if err := fn(o); err != nil {
			return err
		}
		_, err = o.Follow()
		return err
	})
	if o != nil && o.wrote {
		s.hub.Announce(o.announced()) // also after an error: whether a failed commit was kept is not known
	}
	if err != nil {
		if o != nil {
			s.hooks.refused(o, ctx)
		}
		return Coded(err)
	}
	if !o.uncut {
		s.latest.Store(int64(store.At(o.Now)))
	}
	s.here.Forget(o.unheld...)
	if by.Via != schemas.ViaClock {
		s.settle(ctx, o.owing)
	}
	return o.refusal
}

// look gives what fn reads on a snapshot, as it stands: what the clock has changed since is not applied. All errors that
// leave it have a code.
func look[Out any](ctx context.Context, s *Service, fn func(*store.View) (Out, error)) (Out, error) {
	return store.Look(ctx, s.Store, fn)
}

// read is [look] after applying what the clock has changed. Where that cannot be written, as on a full disk, what is
// known is shown all the same, and the log says so.
func read[Out any](ctx context.Context, s *Service, fn func(*store.View) (Out, error)) (Out, error) {
	s.applyTime(ctx)
	return look(ctx, s, fn)
}

// overdue warns of what is due in a snapshot where the workspace is behind, see [Service.catchUp].
func (s *Service) overdue(v *store.View, behind bool) []string {
	if !behind {
		return nil
	}
	n := 0
	for _, err := range v.Due(s.Now()) {
		if n++; err != nil || n == MostLooked {
			break
		}
	}
	return []string{fmt.Sprintf("time has more to do: %d handoffs or more are overdue, and the next call goes on", n)}
}

// settle carries out what an operation put off, and what that puts off in its turn, in transactions of its own, as far as
// ctx allows and for [catchUpTime]. What is left then is due, and the next call of anybody carries it out.
func (s *Service) settle(ctx context.Context, owing []schemas.ID) {
	for begun := s.Now(); len(owing) > 0 && s.Now().Sub(begun) < catchUpTime; {
		var again []schemas.ID
		err := s.update(ctx, ClockCaller, func(o *op) error {
			before := len(o.owing) // by what was due
			err := o.lapseOne(owing[0])
			again = o.owing[before:]
			return err
		})
		if err != nil {
			s.Logger.WarnContext(ctx, "what follows was put off", slog.Any("error", err))
			return
		}
		owing = append(owing[1:], again...)
	}
}

// catchUpTime is for how long one call applies what is due before it does what it was made for.
const catchUpTime = 300 * time.Millisecond

// catchUp applies what the clock has changed, in as many transactions as that takes, and writes nothing if nothing is
// due. It stops when a transaction applied nothing, as where the only records that are due are damaged, and after
// [catchUpTime]: then the workspace is behind, and the next call of anybody goes on.
func (s *Service) catchUp(ctx context.Context) (behind bool, err error) {
	begun := s.Now()
	for more := true; more; {
		now, _ := s.clock.Read()
		due, err := s.nextDue(ctx, now)
		if err != nil || due.IsZero() || due.After(now) {
			return false, err
		}
		if behind && s.Now().Sub(begun) >= catchUpTime {
			return true, nil
		}
		err = s.update(ctx, ClockCaller, func(o *op) error {
			more = o.more || o.uncut || len(o.owing) > 0
			return nil
		})
		if err != nil {
			return false, err
		}
		behind = true
	}
	return false, nil
}

// nextDue is when the clock changes something next, zero for never. Where it was set back that is at once.
func (s *Service) nextDue(ctx context.Context, now time.Time) (time.Time, error) {
	return look(ctx, s, func(v *store.View) (time.Time, error) {
		if s.wasAhead(v, now) {
			return time.UnixMilli(1), nil
		}
		return v.NextDue()
	})
}

// applyTime applies what the clock has changed. Where that cannot be written, work goes on with what is known: the log
// says so, and the next call tries again. It tells whether more is due, see [Service.catchUp].
func (s *Service) applyTime(ctx context.Context) (behind bool) {
	behind, err := s.catchUp(ctx)
	if err != nil {
		s.Logger.WarnContext(ctx, "time could not be applied", slog.Any("error", err))
	}
	return behind
}

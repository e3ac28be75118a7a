package operation

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// ReadSnapshot gives what fn reads on a snapshot, as it stands: what the clock has changed since is not applied. All errors that
// leave it have a code.
func ReadSnapshot[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	return store.ReadSnapshot(ctx, e.Store, fn)
}

// Read is [ReadSnapshot] after applying what the clock has changed. Where that cannot be written, as on a full disk, what is
// known is shown all the same, and the log says so.
func Read[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	e.ApplyTime(ctx)
	return ReadSnapshot(ctx, e, fn)
}

// OverdueWarning warns of what is due in a snapshot where the workspace is behind, see [Engine.CatchUp].
func (e *Engine) OverdueWarning(v *store.View, behind bool) []string {
	if !behind {
		return nil
	}
	n := 0
	for _, err := range v.Due(e.Now()) {
		if n++; err != nil || n == reading.MaxScanned {
			break
		}
	}
	return []string{fmt.Sprintf("time has more to do: %d handoffs or more are overdue, and the next call goes on", n)}
}

// runDeferred carries out what an operation put off, and what that puts off in its turn, in transactions of its own, as far as
// ctx allows and for [catchUpTime]. What is left then is due, and the next call of anybody carries it out.
func (e *Engine) runDeferred(ctx context.Context, owing []schemas.ID) {
	for begun := e.Now(); len(owing) > 0 && e.Now().Sub(begun) < catchUpTime; {
		var again []schemas.ID
		err := e.Update(ctx, ClockCaller, func(o *Op) error {
			before := len(o.deferred) // by what was due
			err := o.applyDueTo(owing[0])
			again = o.deferred[before:]
			return err
		})
		if err != nil {
			e.Logger.WarnContext(ctx, "what follows was put off", slog.Any("error", err))
			return
		}
		owing = append(owing[1:], again...)
	}
}

// catchUpTime is for how long one call applies what is due before it does what it was made for.
const catchUpTime = 300 * time.Millisecond

// CatchUp applies what the clock has changed, in as many transactions as that takes, and writes nothing if nothing is
// due. It stops when a transaction applied nothing, as where the only records that are due are damaged, and after
// [catchUpTime]: then the workspace is behind, and the next call of anybody goes on.
func (e *Engine) CatchUp(ctx context.Context) (behind bool, err error) {
	begun := e.Now()
	for more := true; more; {
		now, _ := e.Leases.Clock.Read()
		due, err := e.NextDue(ctx, now)
		if err != nil || due.IsZero() || due.After(now) {
			return false, err
		}
		if behind && e.Now().Sub(begun) >= catchUpTime {
			return true, nil
		}
		err = e.Update(ctx, ClockCaller, func(o *Op) error {
			more = o.moreDue || o.moreToCut || len(o.deferred) > 0
			return nil
		})
		if err != nil {
			return false, err
		}
		behind = true
	}
	return false, nil
}

// NextDue is when the clock changes something next, zero for never. Where it was set back that is at once.
func (e *Engine) NextDue(ctx context.Context, now time.Time) (time.Time, error) {
	return ReadSnapshot(ctx, e, func(v *store.View) (time.Time, error) {
		if e.clockWasSetBack(v, now) {
			return time.UnixMilli(1), nil
		}
		return v.NextDue()
	})
}

// ApplyTime applies what the clock has changed. Where that cannot be written, work goes on with what is known: the log
// says so, and the next call tries again. It tells whether more is due, see [Engine.CatchUp].
func (e *Engine) ApplyTime(ctx context.Context) (behind bool) {
	behind, err := e.CatchUp(ctx)
	if err != nil {
		e.Logger.WarnContext(ctx, "time could not be applied", slog.Any("error", err))
	}
	return behind
}

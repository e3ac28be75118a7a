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

// ReadSnapshot returns the result of fn on a snapshot as it stands: it applies no time rule before. All errors that it
// returns have a code.
func ReadSnapshot[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	return store.ReadSnapshot(ctx, e.Store, fn)
}

// Read applies the time rules that are due and then does the same as [ReadSnapshot]. If the changes of time cannot be
// written, as on a full disk, it still reads the state as it is stored and logs the error.
func Read[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	e.ApplyTime(ctx)
	return ReadSnapshot(ctx, e, fn)
}

// OverdueWarning returns a warning with the number of overdue handoffs in a snapshot, or nil if the workspace is not
// behind, see [Engine.CatchUp].
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

// runDeferred carries out the consequences that an operation deferred, and consequences that these defer in turn, each
// handoff in a transaction of its own. It stops when ctx ends and after [catchUpTime]. The rest stays due, and the next
// call of any caller carries it out.
func (e *Engine) runDeferred(ctx context.Context, owing []schemas.ID) {
	for begun := e.Now(); len(owing) > 0 && e.Now().Sub(begun) < catchUpTime; {
		var again []schemas.ID
		err := e.Update(ctx, ClockCaller, func(o *Op) error {
			before := len(o.deferred) // those that the clock deferred
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

// catchUpTime bounds how long one call applies overdue changes before it does its own work.
const catchUpTime = 300 * time.Millisecond

// CatchUp applies all changes that are due by time, in as many transactions as it needs. It writes nothing if nothing
// is due. It stops when a transaction applied nothing, as when all due records are damaged, and after [catchUpTime]:
// then it returns behind as true, and the next call of any caller goes on.
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

// NextDue returns the next time at which the clock changes something, zero for never. It returns a time in the past if
// the clock was set back.
func (e *Engine) NextDue(ctx context.Context, now time.Time) (time.Time, error) {
	return ReadSnapshot(ctx, e, func(v *store.View) (time.Time, error) {
		if e.clockWasSetBack(v, now) {
			return time.UnixMilli(1), nil
		}
		return v.NextDue()
	})
}

// ApplyTime is [Engine.CatchUp] for callers that go on after an error. If the changes cannot be written, it logs the
// error and the call works with the stored state; the next call tries again. It returns whether more is due.
func (e *Engine) ApplyTime(ctx context.Context) (behind bool) {
	behind, err := e.CatchUp(ctx)
	if err != nil {
		e.Logger.WarnContext(ctx, "time could not be applied", slog.Any("error", err))
	}
	return behind
}

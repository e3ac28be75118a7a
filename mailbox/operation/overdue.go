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

// ReadSnapshot runs fn on a snapshot of the store and returns the result of fn. It applies no time rules, so fn may see
// an open handoff whose deadline has passed. All errors of ReadSnapshot have a code.
func ReadSnapshot[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	return store.ReadSnapshot(ctx, e.Store, fn)
}

// Read applies the changes that are due by time (deadlines, leases and others), and then does the same as
// [ReadSnapshot]. If these changes cannot be written, for example on a full disk, Read logs the error and reads the
// stored state.
func Read[Out any](ctx context.Context, e *Engine, fn func(*store.View) (Out, error)) (Out, error) {
	e.TryApplyDueChanges(ctx)
	return ReadSnapshot(ctx, e, fn)
}

// OverdueWarning returns a warning with the number of overdue handoffs in a snapshot. It returns nil if `behind` is
// false. Callers pass the result of [Engine.ApplyDueChanges], which is true if changes by time are left to apply.
func (e *Engine) OverdueWarning(v *store.View, behind bool) []string {
	if !behind {
		return nil
	}
	n := 0
	for _, err := range v.DueHandoffs(e.Now()) {
		if n++; err != nil || n == reading.MaxScanned {
			break
		}
	}
	return []string{fmt.Sprintf("time has more to do, for %s or more: the next call goes on", schemas.CountNoun(n, "handoff"))}
}

// catchUpTime is the maximum time in which one call applies overdue changes before its own work.
const catchUpTime = 300 * time.Millisecond

// ApplyDueChanges applies all changes that are due by time, in one or more transactions. It writes nothing if no change
// is due. It stops early after [catchUpTime], or if a transaction applied nothing, for example because all due records
// are damaged. The result `behind` is true if changes are left. The next call of any caller applies these changes.
func (e *Engine) ApplyDueChanges(ctx context.Context) (behind bool, err error) {
	begun := e.Now()
	for more := true; more; {
		now, _ := e.Leases.Clock.Read()
		due, err := e.NextDueTime(ctx, now)
		if err != nil || due.IsZero() || due.After(now) {
			return false, err
		}
		if behind && e.Now().Sub(begun) >= catchUpTime {
			return true, nil
		}
		err = e.Update(ctx, ClockCaller, func(o *Op) error {
			more = o.moreDue || o.moreToCut || o.deferred
			return nil
		})
		if err != nil {
			return false, err
		}
		behind = true
	}
	return false, nil
}

// NextDueTime returns the next time at which a handoff has to change because of time, or zero if no handoff does. If
// the clock was set back, it returns a time in the past, so that the caller acts at once.
func (e *Engine) NextDueTime(ctx context.Context, now time.Time) (time.Time, error) {
	return ReadSnapshot(ctx, e, func(v *store.View) (time.Time, error) {
		if e.clockWasSetBack(v, now) {
			return time.UnixMilli(1), nil
		}
		return v.NextDueTime()
	})
}

// TryApplyDueChanges is [Engine.ApplyDueChanges] for callers that go on after an error. If the changes cannot be
// written, it logs the error and the caller works with the stored state. The result `behind` is true if more changes
// are due.
func (e *Engine) TryApplyDueChanges(ctx context.Context) (behind bool) {
	behind, err := e.ApplyDueChanges(ctx)
	if err != nil {
		e.Logger.WarnContext(ctx, "time could not be applied", slog.Any("error", err))
	}
	return behind
}

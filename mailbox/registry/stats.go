package registry

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

const (
	endedLife = time.Minute // how long a count of ended handoffs is reused
	maxBoxes  = 200         // how many mailboxes one result has
)

// Stats counts handoffs by state, and returns the 200 fullest mailboxes, the newest event, and the latency of commits.
// Telemetry and the command doctor call it. It counts ended handoffs at most once a minute, because there may be a
// million. The counts may belong to slightly different moments. All errors come from the store.
func (r *Registry) Stats(ctx context.Context, _ schemas.Caller, _ schemas.StatsIn) (out schemas.StatsOut, err error) {
	out.Commits = schemas.NewLatencyHistogram()
	if r.config.Commits != nil {
		out.Commits = r.config.Commits()
	}
	if out.Event, err = operation.Read(ctx, r.config.Engine, (*store.View).EventCount); err != nil {
		return out, err
	}
	if out.States, err = r.countStates(ctx); err != nil {
		return out, store.CodedError(err)
	}
	out.Mailboxes, err = r.largestBoxes(ctx)
	return out, store.CodedError(err)
}

// countStates counts the handoffs in every state. The number of ended handoffs may be a minute old.
func (r *Registry) countStates(ctx context.Context) (map[schemas.Status]int, error) {
	open := schemas.Open.States()
	ended := schemas.Statuses[len(open):]
	states, err := r.config.Store.CountStates(ctx, open...)
	if err != nil {
		return nil, err
	}
	past, err := r.ended.currentCounts(r.config.Now(), func() (map[schemas.Status]int, error) {
		return r.config.Store.CountStates(ctx, ended...)
	})
	maps.Copy(states, past)
	return states, err
}

// endedCountCache keeps the number of ended handoffs by state, because counting takes long. Two calls never count at
// the same time: the second call waits and gets the number of the first.
type endedCountCache struct {
	mu     sync.Mutex // guards the fields below, and is held while counting
	at     time.Time
	states map[schemas.Status]int
}

// currentCounts returns the kept numbers. If these are a minute old, or if the clock was set back, it first replaces
// them by new numbers from the function `anew`. If this function fails, currentCounts returns the error and keeps the
// old numbers.
func (e *endedCountCache) currentCounts(now time.Time, anew func() (map[schemas.Status]int, error)) (map[schemas.Status]int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if age := now.Sub(e.at); e.states != nil && age >= 0 && age < endedLife {
		return e.states, nil
	}
	states, err := anew()
	if err == nil {
		e.at, e.states = now, states
	}
	return states, err
}

// largestBoxes returns the 200 mailboxes with the most pending handoffs, each with the time of its oldest pending
// handoff.
func (r *Registry) largestBoxes(ctx context.Context) (boxes []schemas.MailboxStats, err error) {
	all, err := store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) ([]store.MailboxCounters, error) {
		return reading.Collect(v.NonEmptyMailboxes())
	})
	slices.SortStableFunc(all, func(a, b store.MailboxCounters) int { return cmp.Compare(b.Pending, a.Pending) })
	boxes = []schemas.MailboxStats{}
	for _, b := range all[:min(len(all), maxBoxes)] {
		boxes = append(boxes, schemas.MailboxStats{Box: b.Address, Pending: b.Pending, Held: b.Held, Unread: b.Unread})
	}
	for i := 0; err == nil && i < len(boxes) && boxes[i].Pending > 0; i++ {
		boxes[i].Oldest, err = store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (time.Time, error) { return v.OldestPending(boxes[i].Box) })
	}
	return boxes, err
}

package registry

import (
	"cmp"
	"context"
	"maps"
	"slices"
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
	now, open := r.config.Now(), schemas.Open.States()
	states, err := r.config.Store.CountStates(ctx, open...)
	if err != nil {
		return nil, err
	}
	r.mu.Lock() // held while counting: a second call waits and gets the numbers of the first
	defer r.mu.Unlock()
	if age := now.Sub(r.endedAt); r.ended == nil || age < 0 || age >= endedLife {
		past, err := r.config.Store.CountStates(ctx, schemas.Statuses[len(open):]...)
		if err != nil {
			return nil, err
		}
		r.ended, r.endedAt = past, now
	}
	maps.Copy(states, r.ended)
	return states, nil
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

package registry

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/store"
)

const (
	endedLife = time.Minute // how long a count of ended handoffs is reused
	maxBoxes  = 200         // how many mailboxes one result has
)

// Stats counts handoffs by state, and returns the 200 fullest mailboxes with the age of the oldest handoff in each, the
// newest event, and the latency of commits. Telemetry and the command doctor call it. It counts open handoffs and
// mailboxes in each call. It counts ended handoffs at most once a minute, because there may be a million of them. The
// numbers are counted one after another, so they may belong to different moments. Stats changes only records for which
// a change is due by time. The errors come from the store.
func (r *Registry) Stats(ctx context.Context, _ schemas.Caller, _ schemas.StatsIn) (out schemas.StatsOut, err error) {
	out.Commits = schemas.NewLatencyHistogram()
	if r.config.Commits != nil {
		out.Commits = r.config.Commits()
	}
	if out.Event, err = readCurrent(ctx, r, (*store.View).EventCount); err != nil {
		return out, err
	}
	if out.States, err = r.countStates(ctx); err != nil {
		return out, store.CodedError(err)
	}
	out.Mailboxes, err = r.largestBoxes(ctx)
	return out, store.CodedError(err)
}

// countStates counts the handoffs in every state. The count of ended handoffs may be a minute old, because there may be
// very many.
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

// endedCountCache keeps the number of ended handoffs by state, because counting takes long. If a call needs the number
// while another call counts, it waits for the result, so two calls never count at the same time. The number is kept in
// the memory of this process.
type endedCountCache struct {
	mu     sync.Mutex // guards the fields below, and is held while counting
	at     time.Time
	states map[schemas.Status]int
}

// currentCounts returns the kept number. It first counts again if the kept number is a minute old or if the clock was
// set back. If counting fails, count returns the error and keeps the old number.
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

// largestBoxes returns the mailboxes with the most pending handoffs, at most 200, each with the time of its oldest
// pending handoff.
func (r *Registry) largestBoxes(ctx context.Context) (boxes []schemas.MailboxStats, err error) {
	err = r.config.Store.View(ctx, func(v *store.View) error {
		boxes = []schemas.MailboxStats{}
		for b, err := range v.NonEmptyMailboxes() {
			if err != nil {
				return err
			}
			boxes = append(boxes, schemas.MailboxStats{Box: b.Address, Pending: b.Pending, Held: b.Held, Unread: b.Unread})
		}
		slices.SortStableFunc(boxes, func(a, b schemas.MailboxStats) int { return cmp.Compare(b.Pending, a.Pending) })
		boxes = boxes[:min(len(boxes), maxBoxes)]
		return nil
	})
	for i := 0; err == nil && i < len(boxes) && boxes[i].Pending > 0; i++ {
		boxes[i].Oldest, err = store.ReadSnapshot(ctx, r.config.Store, func(v *store.View) (time.Time, error) { return v.OldestPending(boxes[i].Box) })
	}
	return boxes, err
}

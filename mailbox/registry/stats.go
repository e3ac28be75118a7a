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
	endedLife = time.Minute // how long a count of what has ended is given again
	maxBoxes  = 200         // how many mailboxes one result has
)

// Stats counts what is in the workspace: handoffs by state, the 200 mailboxes with most pending and since when the
// oldest waits in each, the newest event, how long commits took. Those call it that export figures, and the command
// doctor. Open handoffs and mailboxes are counted anew for each call; what has ended, of which there may be a million,
// once a minute. The counts are read one after the other, so they may belong to different moments. It changes nothing
// but what the clock has changed. The errors are those of the store.
func (r *Registry) Stats(ctx context.Context, _ schemas.Caller, _ schemas.StatsIn) (out schemas.StatsOut, err error) {
	out.Commits = schemas.NewLatency()
	if r.config.Commits != nil {
		out.Commits = r.config.Commits()
	}
	if out.Event, err = readCurrent(ctx, r, (*store.View).Events); err != nil {
		return out, err
	}
	if out.States, err = r.states(ctx); err != nil {
		return out, store.Coded(err)
	}
	out.Mailboxes, err = r.largestBoxes(ctx)
	return out, store.Coded(err)
}

// states counts the handoffs in every state. Those that have ended may be as many as were ever sent, so their count may
// be a minute old.
func (r *Registry) states(ctx context.Context) (map[schemas.Status]int, error) {
	open := schemas.Open.States()
	ended := schemas.Statuses[len(open):]
	states, err := r.config.Store.CountStates(ctx, open...)
	if err != nil {
		return nil, err
	}
	past, err := r.ended.count(r.config.Now(), func() (map[schemas.Status]int, error) {
		return r.config.Store.CountStates(ctx, ended...)
	})
	maps.Copy(states, past)
	return states, err
}

// endedCount keeps a count that takes long. A call that needs it while another counts waits for the count, so two never
// count at once. It is memory of this process.
type endedCount struct {
	mu     sync.Mutex // guards the fields below, and is held while counting
	at     time.Time
	states map[schemas.Status]int
}

// count gives the count, made anew when it is a minute old or when the clock was set back. A count that failed is not
// kept.
func (e *endedCount) count(now time.Time, anew func() (map[schemas.Status]int, error)) (map[schemas.Status]int, error) {
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

// largestBoxes are the mailboxes with most pending, 200 at most, and since when the oldest in each waits.
func (r *Registry) largestBoxes(ctx context.Context) (boxes []schemas.MailboxStats, err error) {
	err = r.config.Store.View(ctx, func(v *store.View) error {
		boxes = []schemas.MailboxStats{}
		for b, err := range v.Boxes() {
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

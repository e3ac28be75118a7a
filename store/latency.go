package store

import (
	"context"
	"sync/atomic"
	"time"

	"handoff/schemas"
)

// Timed is a backend that measures how long an Update takes until its writes are durable, and remembers whether the
// last commit succeeded. It shows only the methods of [Backend]: others of the backend within it are hidden.
type Timed struct {
	Backend
	now    func() time.Time
	took   latency
	failed atomic.Pointer[error] // of the last commit; nil for none
}

// NewTimed measures the updates of a backend by the given clock. Closing it closes the backend.
func NewTimed(b Backend, now func() time.Time) *Timed {
	return &Timed{Backend: b, now: now, took: newLatency()}
}

// Update measures the whole call, with its wait for other writers. Calls whose fn wrote nothing or returned an error
// are not counted, and neither are calls whose ctx ended.
func (t *Timed) Update(ctx context.Context, fn func(Writer) error) error {
	begun := t.now()
	var last *noting // of the last run of fn
	err := t.Backend.Update(ctx, func(w Writer) error {
		last = &noting{Writer: w}
		last.refused = fn(last)
		return last.refused
	})
	switch {
	case last == nil || !last.wrote || last.refused != nil || ctx.Err() != nil:
	case err != nil:
		t.failed.Store(&err)
	default:
		t.failed.Store(nil)
		t.took.add(t.now().Sub(begun))
	}
	return err
}

// Failed is the error of the last commit, nil when that succeeded or there was none.
func (t *Timed) Failed() error {
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Commits returns how long the commits so far took, in seconds by buckets.
func (t *Timed) Commits() schemas.Latency { return t.took.read() }

// noting remembers whether fn wrote, and the error of fn.
type noting struct {
	Writer
	wrote   bool
	refused error
}

func (n *noting) Put(s Space, key, value []byte) error {
	n.wrote = true
	return n.Writer.Put(s, key, value)
}

func (n *noting) Delete(s Space, key []byte) error {
	n.wrote = true
	return n.Writer.Delete(s, key)
}

func (n *noting) Next(s Space) (uint64, error) {
	n.wrote = true
	return n.Writer.Next(s)
}

// latency is a histogram of durations. It is safe for use by many goroutines.
type latency struct {
	bounds []float64       // seconds
	counts []atomic.Uint64 // one more than bounds, the last for longer durations
	nanos  atomic.Int64
}

func newLatency() latency {
	bounds := schemas.LatencyBounds()
	return latency{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

func (l *latency) add(d time.Duration) {
	d = max(0, d) // a clock may be set back
	at := 0
	for at < len(l.bounds) && d.Seconds() > l.bounds[at] {
		at++
	}
	l.counts[at].Add(1)
	l.nanos.Add(int64(d))
}

// read adds up the counts. A duration that is added meanwhile may be in the sum of seconds and not yet in the counts.
func (l *latency) read() schemas.Latency {
	out := schemas.Latency{Seconds: time.Duration(l.nanos.Load()).Seconds(), Buckets: make([]uint64, len(l.bounds))}
	for i := range l.counts {
		out.Count += l.counts[i].Load()
		if i < len(out.Buckets) {
			out.Buckets[i] = out.Count
		}
	}
	return out
}

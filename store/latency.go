package store

import (
	"context"
	"sync/atomic"
	"time"

	"handoff/schemas"
)

// Timed is a backend that measures how long it takes until what was written is durable, and knows whether the last
// of it was. It is for a backend of which nothing is used but what [Backend] says.
type Timed struct {
	Backend
	now    func() time.Time
	took   latency
	failed atomic.Pointer[error] // of the last commit; nil for none
}

// NewTimed measures the updates of a backend by a clock, and takes over closing it.
func NewTimed(b Backend, now func() time.Time) *Timed {
	return &Timed{Backend: b, now: now, took: newLatency()}
}

// Update measures the whole of the call, with the wait for its turn, if fn wrote and the writes were kept.
func (t *Timed) Update(ctx context.Context, fn func(Writer) error) error {
	begun := t.now()
	var last *noting // run of fn, which has ended when Update returns
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

// Failed is why the last commit could not be kept, nil once one was.
func (t *Timed) Failed() error {
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Commits is how long the updates took until now that wrote something.
func (t *Timed) Commits() schemas.Latency { return t.took.read() }

// noting notes whether anything is written, and what fn said in the end.
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

// latency counts durations by how long they are. It may be used by many goroutines.
type latency struct {
	bounds []float64
	counts []atomic.Uint64 // one more than bounds, the last for what took longer
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

// read sums up the counts. What is added meanwhile may be in the sum of seconds and not yet in the counts.
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

package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// Timed is a backend that measures how long an Update takes until its writes are durable, and remembers whether the
// last commit succeeded. It shows only the methods of [Backend] and [Inspector]: others of the
// backend within it are hidden.
//
// The tool workspace_stats shows what it measured, and the tool registry_newest why the last commit failed. It is safe
// for use by many goroutines.
type Timed struct {
	Backend
	now func() time.Time

	mu      sync.Mutex // guards the fields below
	commits schemas.Latency
	failed  error // of the last commit; nil for none
}

// NewTimed measures the updates of a backend by the given clock. Closing it closes the backend.
//
// The clock is that of the program, so that tests measure by theirs.
func NewTimed(b Backend, now func() time.Time) *Timed {
	return &Timed{Backend: b, now: now, commits: schemas.NewLatency()}
}

// Update measures the whole call, with its wait for other writers. Calls whose fn wrote nothing or returned an error
// are not counted, and neither are calls whose ctx ended.
func (t *Timed) Update(ctx context.Context, fn func(Writer) error) error {
	begun := t.now()
	var last *trackingWriter // of the last run of fn
	err := t.Backend.Update(ctx, func(w Writer) error {
		last = &trackingWriter{Writer: w}
		last.err = fn(last)
		return last.err
	})
	if last == nil || !last.wrote || last.err != nil || ctx.Err() != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed = err; err == nil {
		t.commits.Add(t.now().Sub(begun).Seconds())
	}
	return err
}

// Inspect implements [Inspector].
func (t *Timed) Inspect(ctx context.Context) ([]string, error) { return New(t.Backend).Inspect(ctx) }

// LastError is the error of the last commit, nil when that succeeded or there was none.
//
// An error that the caller's own function returned is none: only commits that the backend refused count, and each
// commit that succeeds clears it.
func (t *Timed) LastError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// Commits returns how long the commits so far took, in seconds by buckets.
//
// The buckets are those of [schemas.LatencyBounds], each with the commits that took at most so long. The result is a
// copy.
func (t *Timed) Commits() schemas.Latency {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.commits
	out.Buckets = slices.Clone(out.Buckets)
	return out
}

// trackingWriter remembers whether fn wrote, and the error of fn.
type trackingWriter struct {
	Writer
	wrote bool
	err   error
}

func (n *trackingWriter) Put(s Space, key, value []byte) error {
	n.wrote = true
	return n.Writer.Put(s, key, value)
}

func (n *trackingWriter) Delete(s Space, key []byte) error {
	n.wrote = true
	return n.Writer.Delete(s, key)
}

func (n *trackingWriter) Next(s Space) (uint64, error) {
	n.wrote = true
	return n.Writer.Next(s)
}

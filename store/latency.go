package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"handoff/schemas"
)

// TimedBackend is a backend that measures the duration of commits and keeps the error of the last commit. The tools
// workspace_stats and registry_newest show them. It has only the methods of [Backend] and [Inspector], and hides other
// methods of its backend. It is safe for use by many goroutines.
type TimedBackend struct {
	Backend
	now func() time.Time

	mu      sync.Mutex // guards the fields below
	commits schemas.LatencyHistogram
	failed  error // of the last commit; nil for none
}

// NewTimedBackend measures the updates of a backend by the given clock. Closing the result closes the backend.
func NewTimedBackend(b Backend, now func() time.Time) *TimedBackend {
	return &TimedBackend{Backend: b, now: now, commits: schemas.NewLatencyHistogram()}
}

// Update measures the whole call, including its wait for other writers. It does not count a call whose fn wrote nothing
// or returned an error, or whose ctx ended.
func (t *TimedBackend) Update(ctx context.Context, fn func(Writer) error) error {
	begun := t.now()
	var wrote bool   // in the last run of fn
	var failed error // of the last run of fn
	err := t.Backend.Update(ctx, func(w Writer) error {
		failed = fn(w)
		wrote = w.Size() > 0
		return failed
	})
	if !wrote || failed != nil || ctx.Err() != nil {
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
func (t *TimedBackend) Inspect(ctx context.Context) ([]string, error) {
	return New(t.Backend).Inspect(ctx)
}

// LastError returns the error of the last commit. It is nil if that commit succeeded or if there was no commit. An
// error of the caller's own function does not count.
func (t *TimedBackend) LastError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// Commits returns the durations of the commits so far, in seconds by buckets, as a copy. The buckets have the bounds of
// [schemas.LatencyBounds]. Each bucket counts the commits that took at most its bound.
func (t *TimedBackend) Commits() schemas.LatencyHistogram {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.commits
	out.Buckets = slices.Clone(out.Buckets)
	return out
}

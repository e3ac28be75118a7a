package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/storetest"
)

// newSteppingClock returns a clock that moves on by a step at each reading.
func newSteppingClock(step *time.Duration) func() time.Time {
	at := storetest.Noon()
	return func() time.Time { at = at.Add(*step); return at }
}

func put(w store.Writer) error { return w.Put(store.Sys, []byte("k"), nil) }

func TestTimedBackend_MeasuresCommits(t *testing.T) {
	step := 3 * time.Millisecond
	b := store.NewTimedBackend(storetest.RunUpdatesTwice(memory.New()), newSteppingClock(&step))
	require.NoError(t, b.Update(t.Context(), put))
	step = time.Hour
	require.NoError(t, b.Update(t.Context(), func(w store.Writer) error { return w.Delete(store.Sys, []byte("k")) }))
	step = -time.Second // the clock is set back
	require.NoError(t, b.Update(t.Context(), func(w store.Writer) error { _, err := w.Next(store.Records); return err }))

	took := b.Commits()
	require.EqualValues(t, 3, took.Count)
	require.InDelta(t, 3600.003, took.Seconds, 1e-9)
	for i, bound := range schemas.LatencyBounds() {
		want := uint64(1)
		if bound >= 0.003 {
			want = 2
		}
		require.Equal(t, want, took.Buckets[i], bound)
	}
}

func TestTimedBackend_IgnoresCallsThatCommitNothing(t *testing.T) {
	b := store.NewTimedBackend(memory.New(), time.Now)
	failed := errors.New("failed")
	require.NoError(t, b.Update(t.Context(), func(w store.Writer) error { _, err := w.Get(store.Sys, []byte("k")); return err }))
	require.ErrorIs(t, b.Update(t.Context(), func(w store.Writer) error { return errors.Join(put(w), failed) }), failed)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Update(over, put), context.Canceled)
	require.Zero(t, b.Commits().Count)
}

func TestTimedBackend_IsSafeForManyGoroutines(t *testing.T) {
	b := store.NewTimedBackend(memory.New(), time.Now)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				_ = b.Update(context.Background(), put) // counted below
				_ = b.Commits()
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 400, b.Commits().Count)
}

// fillableDisk is a backend that refuses writes while full is true.
type fillableDisk struct {
	store.Backend
	full bool
}

func (f *fillableDisk) Update(ctx context.Context, fn func(store.Writer) error) error {
	if !f.full {
		return f.Backend.Update(ctx, fn)
	}
	undo := errors.New("undo")
	err := f.Backend.Update(ctx, func(w store.Writer) error { return errors.Join(fn(w), undo) })
	if errors.Is(err, undo) {
		return store.ErrFull
	}
	return err
}

func TestTimedBackend_KeepsErrorUntilCommitSucceeds(t *testing.T) {
	full := &fillableDisk{Backend: memory.New()}
	b := store.NewTimedBackend(full, time.Now)
	require.NoError(t, b.Update(t.Context(), put))
	require.NoError(t, b.LastError())
	full.full = true
	require.ErrorIs(t, b.Update(t.Context(), put), store.ErrFull)
	require.ErrorIs(t, b.LastError(), store.ErrFull)
	full.full = false
	refused := errors.New("refused")
	require.ErrorIs(t, b.Update(t.Context(), func(w store.Writer) error { return errors.Join(put(w), refused) }), refused)
	require.ErrorIs(t, b.LastError(), store.ErrFull, "that was the caller's own doing")
	require.NoError(t, b.Update(t.Context(), put))
	require.NoError(t, b.LastError())
}

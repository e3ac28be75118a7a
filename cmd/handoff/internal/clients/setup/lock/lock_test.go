package lock_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/setup/lock"
)

// Many take turns with a file that comes and goes: two at once would lose a turn of each other.
func TestTurnsAreTakenOneAtATime(t *testing.T) {
	dir := t.TempDir()
	path, counter := filepath.Join(dir, "state", "lock"), filepath.Join(dir, "counter")
	require.NoError(t, os.WriteFile(counter, nil, 0o600))
	const many, each = 8, 5
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			for range each {
				release, err := lock.Take(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				before, errRead := os.ReadFile(counter)
				runtime.Gosched()
				errWrite := os.WriteFile(counter, append(before, '.'), 0o600)
				if errRead != nil || errWrite != nil || release() != nil {
					t.Error(errRead, errWrite)
				}
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(counter)
	require.NoError(t, err)
	require.Len(t, text, many*each)
	if runtime.GOOS != "windows" {
		require.NoFileExists(t, path)
	}
}

func TestNobodyWaitsLongerThanAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := lock.Take(t.Context(), path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lock.Take(ctx, path)
	require.ErrorIs(t, err, lock.ErrHeld)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, release())
	release, err = lock.Take(ctx, path)
	require.NoError(t, err, "it was free at once")
	require.NoError(t, release())
}

func TestNoPlaceForALockIsAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	_, err := lock.Take(t.Context(), filepath.Join(dir, "lock"))
	require.ErrorContains(t, err, "take turns: ")
}

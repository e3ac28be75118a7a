package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
)

// This is an internal test because no outside caller can make a sync fail: here the commit of bbolt fails.

// newStoreWithFailingCommits returns a store whose next commits have the results of fails, in order; later commits
// succeed.
func newStoreWithFailingCommits(t *testing.T, fails ...func(*bbolt.Tx) error) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "handoff.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.writer.commitTx = func(tx *bbolt.Tx) error {
		if len(fails) == 0 {
			return tx.Commit()
		}
		fail := fails[0]
		fails = fails[1:]
		return fail(tx)
	}
	return s
}

// commitWithFailedLastSync is a commit whose last sync fails. Its meta page was written before the sync, at least to
// the memory of the system.
func commitWithFailedLastSync(tx *bbolt.Tx) error {
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("the test: %w", err)
	}
	return syscall.EIO
}

// commitWithFailedFirstSync is a commit whose first sync fails.
func commitWithFailedFirstSync(tx *bbolt.Tx) error {
	if err := tx.Rollback(); err != nil {
		return fmt.Errorf("the test: %w", err)
	}
	return syscall.EIO
}

func (s *Store) putKey(key string) error {
	return s.Update(context.Background(), func(w store.Writer) error { return w.Put(store.Sys, []byte(key), []byte("x")) })
}

func (s *Store) hasKey(t *testing.T, key string) (has bool) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		v, err := r.Get(store.Sys, []byte(key))
		has = v != nil
		return err
	}))
	return has
}

func TestUpdate_ReturnsOutcomeOfFailedCommit(t *testing.T) {
	for name, tt := range map[string]struct {
		fails []func(*bbolt.Tx) error
		err   error
		has   bool
	}{
		"it was written":         {[]func(*bbolt.Tx) error{commitWithFailedLastSync}, nil, true},
		"it was not":             {[]func(*bbolt.Tx) error{commitWithFailedFirstSync}, store.ErrUnwritten, false},
		"the disk was full":      {[]func(*bbolt.Tx) error{full(commitWithFailedFirstSync)}, store.ErrFull, false},
		"full, and it was":       {[]func(*bbolt.Tx) error{full(commitWithFailedLastSync)}, nil, true},
		"the disk goes on so":    {[]func(*bbolt.Tx) error{commitWithFailedLastSync, commitWithFailedFirstSync}, store.ErrUncertain, true},
		"even the proof is such": {[]func(*bbolt.Tx) error{commitWithFailedLastSync, commitWithFailedLastSync, commitWithFailedFirstSync}, store.ErrUncertain, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStoreWithFailingCommits(t, tt.fails...)
			err := s.putKey("a")
			require.ErrorIs(t, err, tt.err)
			if tt.err != nil && !errors.Is(tt.err, store.ErrFull) {
				require.ErrorIs(t, err, syscall.EIO)
			}
			require.Eventually(t, func() bool { return s.putKey("b") == nil }, 60e9, 10e6)
			require.Equal(t, tt.has, s.hasKey(t, "a"))
			require.True(t, s.hasKey(t, "b"))
		})
	}
}

func full(fail func(*bbolt.Tx) error) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		if err := fail(tx); err != syscall.EIO { //nolint:errorlint // it is as it was returned
			return err
		}
		return syscall.ENOSPC
	}
}

// The rows that the system shows may be lost: no caller may read them as if they were kept.
func TestView_FailsWhileCommitOutcomeIsUnknown(t *testing.T) {
	s := newStoreWithFailingCommits(t, commitWithFailedLastSync, commitWithFailedFirstSync, commitWithFailedFirstSync, commitWithFailedFirstSync, commitWithFailedFirstSync, commitWithFailedFirstSync, commitWithFailedFirstSync)
	require.ErrorIs(t, s.putKey("a"), store.ErrUncertain)
	err := s.View(t.Context(), func(store.Reader) error { return nil })
	require.ErrorIs(t, err, store.ErrUncertain)
	require.Eventually(t, func() bool { return s.putKey("b") == nil }, 60e9, 10e6)
	require.True(t, s.hasKey(t, "a"))
}

// A call that comes while an earlier commit is in doubt does not belong to that commit: even if the commit turns out to
// be kept, the call was not.
func TestUpdate_DoesNotJoinEarlierCommitOfUnknownOutcome(t *testing.T) {
	for range 40 {
		s := newStoreWithFailingCommits(t, commitWithFailedLastSync, commitWithFailedLastSync, commitWithFailedFirstSync)
		require.ErrorIs(t, s.putKey("a"), store.ErrUncertain)
		if s.putKey("b") == nil { // at once: the writer has not looked again yet
			require.True(t, s.hasKey(t, "b"))
		}
	}
}

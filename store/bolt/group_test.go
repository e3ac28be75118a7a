package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/bolt"
)

// busyWriter is a store whose writer is busy, so that calls line up behind it in the
// order in which they are made. It runs in a synctest bubble.
type busyWriter struct {
	t       *testing.T
	store   *bolt.Store
	release chan struct{}
	results []chan error
}

func newBusyWriter(t *testing.T, path string) *busyWriter {
	s, err := bolt.Open(t.Context(), bolt.Config{Path: path})
	require.NoError(t, err)
	l := &busyWriter{t: t, store: s, release: make(chan struct{})}
	l.add(t.Context(), func(store.Writer) error { <-l.release; return nil })
	return l
}

func (l *busyWriter) add(ctx context.Context, fn func(store.Writer) error) {
	result := make(chan error, 1)
	l.results = append(l.results, result)
	go func() { result <- l.store.Update(ctx, fn) }()
	synctest.Wait()
}

// end lets the writer go on, closes the store and returns how each call ended,
// in their order and without the first.
func (l *busyWriter) end() (errs []error) {
	close(l.release)
	for _, result := range l.results {
		errs = append(errs, <-result)
	}
	require.NoError(l.t, l.store.Close())
	return errs[1:]
}

func row(key string) func(store.Writer) error {
	return func(w store.Writer) error { return w.Put(store.Records, []byte(key), []byte("x")) }
}

// lastTransaction returns the number of the last commit in a closed file.
func lastTransaction(t *testing.T, path string) (id int) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }))
	require.NoError(t, db.Close())
	return id
}

// newClosedStore makes a store and closes it. It returns the directory and the path of the file, and the number of the
// last transaction.
func newClosedStore(t *testing.T) (dir, path string, last int) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "handoff.db")
	require.NoError(t, openStore(t, dir).Close())
	return dir, path, lastTransaction(t, path)
}

func recordKeys(t *testing.T, dir string) (found []string) {
	t.Helper()
	s := openStore(t, dir)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for row, err := range r.Scan(store.Range{Space: store.Records}) {
			if err != nil {
				return err
			}
			found = append(found, string(row.Key))
		}
		return nil
	}))
	return found
}

func TestUpdate_SharesCommitWithWaitingCalls(t *testing.T) {
	dir, path, before := newClosedStore(t)
	synctest.Test(t, func(t *testing.T) {
		l := newBusyWriter(t, path)
		for i := range 64 {
			l.add(t.Context(), row(fmt.Sprintf("%02d", i)))
		}
		require.NoError(t, errors.Join(l.end()...))
	})
	require.Len(t, recordKeys(t, dir), 64)
	require.Equal(t, before+1, lastTransaction(t, path), "one for all of them")
}

func TestUpdate_MakesNoCommitWithoutWrites(t *testing.T) {
	dir, path, before := newClosedStore(t)
	s := openStore(t, dir)
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		_, err := w.Get(store.Records, []byte("a"))
		return err
	}))
	require.NoError(t, s.Checkpoint(t.Context()))
	require.NoError(t, s.Close())
	require.Equal(t, before, lastTransaction(t, path))
}

// Large calls are spread over transactions, and all of them are answered.
func TestWriter_SplitsLargeCallsOverTransactions(t *testing.T) {
	dir, path, before := newClosedStore(t)
	synctest.Test(t, func(t *testing.T) {
		l := newBusyWriter(t, path)
		for i := range 10 {
			l.add(t.Context(), func(w store.Writer) error {
				return w.Put(store.Records, fmt.Appendf(nil, "%02d", i), make([]byte, 1<<20))
			})
		}
		require.NoError(t, errors.Join(l.end()...))
	})
	require.Len(t, recordKeys(t, dir), 10)
	require.Equal(t, before+4, lastTransaction(t, path), "four, four and two MiB, and the free pages")
}

func TestUpdate_UndoesOnlyFailedCall(t *testing.T) {
	dir := t.TempDir()
	refused := errors.New("refused")
	synctest.Test(t, func(t *testing.T) {
		l := newBusyWriter(t, filepath.Join(dir, "handoff.db"))
		l.add(t.Context(), row("a"))
		l.add(t.Context(), func(w store.Writer) error { return errors.Join(row("b")(w), refused) })
		l.add(t.Context(), func(w store.Writer) error { panic(row("c")(w)) })
		cancelled, cancel := context.WithCancel(t.Context())
		l.add(cancelled, row("d"))
		l.add(t.Context(), row("e"))
		cancel()
		synctest.Wait()

		errs := l.end()
		require.NoError(t, errs[0])
		require.ErrorIs(t, errs[1], refused)
		require.ErrorAs(t, errs[2], new(*store.Panic))
		require.ErrorIs(t, errs[3], context.Canceled)
		require.NoError(t, errs[4])
	})
	require.Equal(t, []string{"a", "e"}, recordKeys(t, dir))
}

// A call of t.FailNow inside a function must not leave callers waiting.
func TestUpdate_ReturnsErrorIfFunctionCallsGoexit(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := newBusyWriter(t, filepath.Join(dir, "handoff.db"))
		l.add(t.Context(), func(w store.Writer) error { defer runtime.Goexit(); return row("a")(w) })
		l.add(t.Context(), row("b"))
		errs := l.end()
		require.ErrorContains(t, errs[0], "nothing was changed")
		require.NoError(t, errs[1], "it was behind, and its turn comes")
	})
	require.Equal(t, []string{"b"}, recordKeys(t, dir))
}

func TestClose_FinishesQueuedCalls(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := newBusyWriter(t, filepath.Join(dir, "handoff.db"))
		l.add(t.Context(), row("a"))
		closed := make(chan error, 1)
		go func() { closed <- l.store.Close() }()
		synctest.Wait()
		require.ErrorIs(t, l.store.Update(t.Context(), row("late")), store.ErrClosed)
		require.NoError(t, errors.Join(l.end()...))
		require.NoError(t, <-closed)
	})
	require.Equal(t, []string{"a"}, recordKeys(t, dir))
}

package bolt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/bolt"
)

// The file comes from an older program, which does not know one of the spaces.
func TestOpen_ReadOnlyLeavesFileUnchanged(t *testing.T) {
	path := newClosedStoreWithRows(t)
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(store.Touches.String())) }))
	require.NoError(t, db.Close())
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	for range 2 { // at once
		s, err := bolt.Open(t.Context(), bolt.Config{Path: path, ReadOnly: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		require.Len(t, keysIn(t, s, store.Records), 1000)
		require.Empty(t, keysIn(t, s, store.Touches))
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			value, err := r.Get(store.Touches, []byte("1"))
			require.Nil(t, value)
			return err
		}))
		require.ErrorIs(t, s.Update(t.Context(), func(store.Writer) error { return nil }), store.ErrReadOnly)
		_, err = bolt.Open(t.Context(), bolt.Config{Path: path})
		require.ErrorIs(t, err, store.ErrLocked)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))
	for _, content := range [][]byte{nil, []byte("no store"), before[:40_000]} {
		other := filepath.Join(t.TempDir(), "other")
		require.NoError(t, os.WriteFile(other, content, 0o600))
		_, err := bolt.Open(t.Context(), bolt.Config{Path: other, ReadOnly: true})
		require.Error(t, err)
	}
}

func keysIn(t *testing.T, s *bolt.Store, space store.Space) (all []string) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for row, err := range r.Scan(store.Range{Space: space}) {
			if err != nil {
				return err
			}
			all = append(all, string(row.Key))
		}
		return nil
	}))
	return all
}

// Rows that are written during the copy are in it as a whole or not at all. Rows acknowledged before it are in it.
func TestWriteTo_CopiesOneSnapshot(t *testing.T) {
	s, stop, written := openStore(t, t.TempDir()), make(chan struct{}), make(chan int)
	put := func(n byte) error {
		return s.Update(t.Context(), func(w store.Writer) error {
			for _, space := range []store.Space{store.Records, store.Touches} {
				if err := w.Put(space, []byte{n}, bytes.Repeat([]byte{n}, 3000)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, put(0))
	go func() {
		n := 1
		for ; n < 250; n++ {
			select {
			case <-stop:
				written <- n
				return
			default:
				if put(byte(n)) != nil {
					n = 0
				}
			}
		}
		written <- n
	}()
	path := filepath.Join(t.TempDir(), "copy")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, s.WriteTo(t.Context(), f))
	require.NoError(t, f.Close())
	close(stop)
	require.Positive(t, <-written)
	c, err := bolt.Open(t.Context(), bolt.Config{Path: path, ReadOnly: true})
	require.NoError(t, err)
	require.NotEmpty(t, keysIn(t, c, store.Records))
	require.Equal(t, keysIn(t, c, store.Records), keysIn(t, c, store.Touches))
	require.NoError(t, c.Close())
	require.NoError(t, s.Close())
}

package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
	"handoff/store/memory"
)

// byHand writes the rows of b.N lives into bbolt, so many commits in a transaction, and tells how long
// that took, without the time to make them up.
func byHand(b *testing.B, group int) (took time.Duration) {
	path := filepath.Join(b.TempDir(), "raw.db")
	require.NoError(b, openBolt(b, path).Close()) // makes the buckets
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30, NoStatistics: true,
	})
	require.NoError(b, err)
	r := &recorder{Backend: memory.New()}
	s := store.New(r)
	for n := 0; n < b.N; n += group {
		r.writes = r.writes[:0]
		for c := range min(group, b.N-n) {
			for _, fn := range (cycle{int64(n + c)}).commits() {
				require.NoError(b, s.Update(b.Context(), fn))
			}
		}
		for part := range 3 { // as many transactions as the callers need
			writes := r.writes[part*len(r.writes)/3 : (part+1)*len(r.writes)/3]
			start := time.Now()
			require.NoError(b, db.Update(func(tx *bbolt.Tx) error { return apply(tx, writes) }))
			took += time.Since(start)
		}
	}
	require.NoError(b, db.Close())
	return took
}

func apply(tx *bbolt.Tx, writes []written) error {
	for _, w := range writes {
		bucket := tx.Bucket([]byte(w.space.String()))
		if w.deleted {
			if err := bucket.Delete(w.key); err != nil {
				return err
			}
			continue
		}
		if err := bucket.Put(w.key, w.value); err != nil {
			return err
		}
	}
	return nil
}

// recorder writes down what is written to a backend.
type recorder struct {
	store.Backend
	writes []written
}

type written struct {
	space      store.Space
	key, value []byte
	deleted    bool
}

func (r *recorder) Update(ctx context.Context, fn func(store.Writer) error) error {
	return r.Backend.Update(ctx, func(w store.Writer) error { return fn(recording{w, r}) })
}

type recording struct {
	store.Writer
	to *recorder
}

func (w recording) Put(s store.Space, key, value []byte) error {
	w.to.writes = append(w.to.writes, written{space: s, key: append([]byte{}, key...), value: append([]byte{}, value...)})
	return w.Writer.Put(s, key, value)
}

func (w recording) Delete(s store.Space, key []byte) error {
	w.to.writes = append(w.to.writes, written{space: s, key: append([]byte{}, key...), deleted: true})
	return w.Writer.Delete(s, key)
}

// Next writes as well; its row is among those that a hand would write.
func (w recording) Next(s store.Space) (uint64, error) {
	n, err := w.Writer.Next(s)
	key := []byte("next/" + s.String())
	w.to.writes = append(w.to.writes, written{space: store.Sys, key: key, value: fmt.Appendf(nil, "%08d", n)})
	return n, err
}

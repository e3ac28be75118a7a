//go:build linux

package figures_test

import (
	"encoding/binary"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// raw is bbolt by hand, with one bucket and the options of our store.
type raw struct {
	db *bbolt.DB
	n  atomic.Uint64
}

var bucket = []byte("b")

func openRaw(r *run) *raw {
	db, err := bbolt.Open(filepath.Join(r.TempDir(), "raw.db"), 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, PageSize: 4096, InitialMmapSize: 16 << 30,
	})
	require.NoError(r, err)
	require.NoError(r, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucket); return err }))
	return &raw{db: db}
}

func (w *raw) close() { _ = w.db.Close() } // it was only there to be compared with

func (w *raw) put(tx *bbolt.Tx) error {
	return tx.Bucket(bucket).Put(binary.BigEndian.AppendUint64(nil, w.n.Add(1)), []byte(twoKB))
}

func (w *raw) commit(r *run) { require.NoError(r, w.db.Update(w.put)) }

// batches has callers put 2 KB each, and gives how many puts were durable in a second.
func (w *raw) batches(r *run, callers, calls int) float64 {
	w.db.MaxBatchSize = callers // so that none waits for the delay
	var left atomic.Int64
	left.Store(int64(calls))
	var all sync.WaitGroup
	began := time.Now()
	for range callers {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := w.db.Batch(w.put); err != nil {
					r.Error(err)
				}
			}
		})
	}
	all.Wait()
	return float64(calls) / time.Since(began).Seconds()
}

// fill stores handoffs, all of them completed.
func (r *run) fill(state string, n int) {
	p := r.at("").agent(state, r.program, "earlier")
	p.cycles(64, n)
	p.end()
}

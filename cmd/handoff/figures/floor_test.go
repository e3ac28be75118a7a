//go:build linux

package figures_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
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
	if n == 0 {
		return
	}
	backend, err := bolt.Open(r.Context(), bolt.Config{Path: filepath.Join(state, "handoff", "figures", "handoff.db")})
	require.NoError(r, err)
	var ids atomic.Int64
	s := mailbox.New(mailbox.Config{
		Store: store.New(backend), Now: time.Now,
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%026d", prefix, ids.Add(1)) },
	})
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for i := range 64 {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := life(r.Context(), s, i); err != nil {
					r.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	require.NoError(r, backend.Close())
}

// life has a handoff sent, claimed and completed.
func life(ctx context.Context, s *mailbox.Service, i int) error {
	from := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("planner-%d", i)), Via: schemas.ViaHTTP}
	to := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("worker-%d", i)), Via: schemas.ViaHTTP}
	if _, err := s.Send(ctx, from, schemas.SendIn{To: string(to.Agent), Task: "run the tests", Detail: twoKB}); err != nil {
		return err
	}
	claim, err := s.Claim(ctx, to, schemas.ClaimIn{})
	if err != nil {
		return err
	}
	done := schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Result: schemas.Result{Summary: "passed"}}
	_, err = s.Complete(ctx, to, done)
	return err
}

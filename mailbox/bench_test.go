package mailbox_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/memory"
)

// BenchmarkCycle measures full cycles (send 2 KB, claim, complete) beside raw bbolt that commits the same
// keys and bytes, grouped by hand, in the same run. "raw" is our throughput as a share of that.
func BenchmarkCycle(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			cycles := max(b.N, callers)
			txs := recorded(b, callers, cycles)
			var ours, raw []float64
			b.ResetTimer()
			for range 3 {
				ours = append(ours, float64(runCycles(b, openBolt(b), callers, cycles).Nanoseconds()))
				raw = append(raw, float64(replay(b, callers, txs).Nanoseconds()))
			}
			b.ReportMetric(median(raw)/median(ours), "raw")
			b.ReportMetric(float64(3*cycles)/(median(ours)/1e9), "ops/s")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

func openBolt(b testing.TB) store.Backend {
	s, err := bolt.Open(context.Background(), bolt.Config{Path: filepath.Join(b.TempDir(), "handoff.db")})
	require.NoError(b, err)
	return s
}

// runCycles runs cycles by many callers, each between a sender and a receiver of its own.
func runCycles(b testing.TB, backend store.Backend, callers, cycles int) time.Duration {
	var ids atomic.Int64
	s := mailbox.New(mailbox.Config{
		Store: store.New(backend), Now: time.Now,
		NewID: func(prefix string) string { return fmt.Sprintf("%s_%016d", prefix, ids.Add(1)) },
	})
	defer s.Store.Close()
	start := time.Now()
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(cycles))
	for i := range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := cycle(s, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

var detail = strings.Repeat("abcdefgh", 256)

func cycle(s *mailbox.Service, i int) error {
	ctx := context.Background()
	request := func(by schemas.Caller) schemas.Caller { // as every mutating call has
		by.Request = fmt.Sprintf("%016x%s", time.Now().UnixMilli(), s.NewID("r"))
		return by
	}
	from := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("planner-%d", i)), Via: schemas.ViaHTTP}
	to := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("worker-%d", i)), Via: schemas.ViaHTTP}
	if _, err := s.Send(ctx, request(from), schemas.SendIn{To: string(to.Agent), Task: "run the tests", Detail: detail, Parent: "none"}); err != nil {
		return err
	}
	claim, err := s.Claim(ctx, request(to), schemas.ClaimIn{})
	if err != nil {
		return err
	}
	_, err = s.Complete(ctx, request(to), schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Summary: "passed"})
	return err
}

// write is one row written or deleted.
type write struct {
	space      store.Space
	key, value []byte // nil value: deleted
}

// recorder keeps what every transaction of a backend writes.
type recorder struct {
	store.Backend
	txs [][]write
}

func (r *recorder) Update(ctx context.Context, fn func(store.Writer) error) error {
	return r.Backend.Update(ctx, func(w store.Writer) error {
		rw := &recordingWriter{Writer: w}
		err := fn(rw)
		if err == nil && len(rw.writes) > 0 {
			r.txs = append(r.txs, rw.writes)
		}
		return err
	})
}

type recordingWriter struct {
	store.Writer
	writes []write
}

func (w *recordingWriter) Put(s store.Space, k, v []byte) error {
	w.writes = append(w.writes, write{s, bytes.Clone(k), append([]byte{}, v...)})
	return w.Writer.Put(s, k, v)
}

func (w *recordingWriter) Delete(s store.Space, k []byte) error {
	w.writes = append(w.writes, write{s, bytes.Clone(k), nil})
	return w.Writer.Delete(s, k)
}

func recorded(b testing.TB, callers, cycles int) [][]write {
	r := &recorder{Backend: memory.New()}
	runCycles(b, r, min(callers, 8), cycles)
	return r.txs
}

// replay commits recorded transactions to raw bbolt: whatever waits is committed together.
func replay(b testing.TB, callers int, txs [][]write) time.Duration {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 64 << 30,
	})
	require.NoError(b, err)
	defer db.Close()
	require.NoError(b, db.Update(func(tx *bbolt.Tx) error {
		for s := range store.Spaces {
			if _, err := tx.CreateBucket([]byte(s.String())); err != nil {
				return err
			}
		}
		return nil
	}))
	type request struct {
		writes []write
		done   chan error
	}
	queue := make(chan request, 1024)
	var writer sync.WaitGroup
	writer.Go(func() {
		for first := range queue {
			batch := []request{first}
			for len(queue) > 0 && len(batch) < 512 {
				batch = append(batch, <-queue)
			}
			err := db.Update(func(tx *bbolt.Tx) error {
				for _, r := range batch {
					for _, w := range r.writes {
						bucket := tx.Bucket([]byte(w.space.String()))
						if w.value == nil {
							if err := bucket.Delete(w.key); err != nil {
								return err
							}
						} else if err := bucket.Put(w.key, w.value); err != nil {
							return err
						}
					}
				}
				return nil
			})
			for _, r := range batch {
				r.done <- err
			}
		}
	})
	start := time.Now()
	var wg sync.WaitGroup
	var next atomic.Int64
	for range callers {
		wg.Go(func() {
			done := make(chan error, 1)
			for n := next.Add(1) - 1; n < int64(len(txs)); n = next.Add(1) - 1 {
				queue <- request{txs[n], done}
				if err := <-done; err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	close(queue)
	writer.Wait()
	return took
}

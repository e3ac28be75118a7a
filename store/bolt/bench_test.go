package bolt_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"handoff/store"
)

// indexes are the spaces that get a key of 32 bytes for each record of 2 KB.
var indexes = []store.Space{
	store.Ready, store.Wakes, store.ByBox, store.BySender,
	store.ByHolder, store.ByWorkflow, store.ByState, store.ByParent,
}

var record = make([]byte, 2048)

// writeRecord puts record i and its index keys.
func writeRecord(i uint64, put func(s store.Space, key, value []byte) error) error {
	id := binary.BigEndian.AppendUint64(nil, i)
	if err := put(store.Records, id, record); err != nil {
		return err
	}
	for _, s := range indexes {
		key := append(fmt.Appendf(nil, "agent %02d\x00 and more to come", i%16)[:24], id...)
		if err := put(s, key, nil); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkUpdate writes the same rows through a store and through bbolt itself, there with one transaction for as many
// records as there are callers. The metric "of-raw" is the speed of the store as a share of the speed of bbolt.
func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			updateAtOnce(b, callers)
			ours := b.Elapsed()
			commitByHand(b, callers)
			byHand := b.Elapsed() - ours
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/op")
			b.ReportMetric(float64(byHand)/float64(ours), "of-raw")
		})
	}
}

func updateAtOnce(b *testing.B, callers int) {
	b.StopTimer()
	s := openStore(b, b.TempDir())
	var next atomic.Uint64
	var wg sync.WaitGroup
	b.StartTimer()
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= uint64(b.N); i = next.Add(1) {
				err := s.Update(context.Background(), func(w store.Writer) error { return writeRecord(i, w.Put) })
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	require.NoError(b, s.Close())
}

func commitByHand(b *testing.B, group int) {
	b.StopTimer()
	dir := b.TempDir()
	require.NoError(b, openStore(b, dir).Close()) // makes the buckets
	db, err := bbolt.Open(filepath.Join(dir, "handoff.db"), 0o600, &bbolt.Options{
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30, NoStatistics: true,
	})
	require.NoError(b, err)
	b.StartTimer()
	for i := 0; i < b.N; i += group {
		require.NoError(b, db.Update(func(tx *bbolt.Tx) error {
			put := func(s store.Space, key, value []byte) error {
				bucket := tx.Bucket([]byte(s.String()))
				if s == store.Records {
					bucket.FillPercent = 0.9
				}
				return bucket.Put(key, value)
			}
			for j := i; j < min(i+group, b.N); j++ {
				if err := writeRecord(uint64(j), put); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	b.StopTimer()
	require.NoError(b, db.Close())
}

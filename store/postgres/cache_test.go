package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

func openSmall(t *testing.T, pool *pgxpool.Pool, bytes int) *postgres.Store {
	s, err := postgrestest.TakeOverAndOpen(t.Context(), pool, "shop", postgres.Config{CacheBytes: bytes})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// writeRound sets 500 rows to one value. Every third row is not there in every other round.
func writeRound(round int) func(store.Writer) error {
	return func(w store.Writer) error {
		for i := range 500 {
			key, write := fmt.Appendf(nil, "%03d", i), w.Put
			if i%3 == 0 && round%2 == 0 {
				write = func(s store.Space, key, _ []byte) error { return w.Delete(s, key) }
			}
			if err := write(store.Records, key, fmt.Append(nil, round)); err != nil {
				return err
			}
		}
		return nil
	}
}

// requireOneRound returns an error unless all rows are of the same round. It scans the rows in both directions and
// reads each one by its key.
func requireOneRound(r store.Reader) error {
	round, n := 0, map[bool]int{}
	for _, reverse := range []bool{false, true} {
		for row, err := range r.Scan(store.Range{Space: store.Records, Reverse: reverse}) {
			if err != nil {
				return err
			}
			if n[reverse]++; round == 0 {
				_, _ = fmt.Sscan(string(row.Value), &round)
			}
			again, err := r.Get(store.Records, row.Key)
			if err != nil || string(row.Value) != fmt.Sprint(round) || !bytes.Equal(again, row.Value) {
				return fmt.Errorf("%s is %s and %s in round %d: %w", row.Key, row.Value, again, round, err)
			}
		}
	}
	if want := 500 - (1-round%2)*167; n[false] != want || n[true] != want {
		return fmt.Errorf("round %d has %v rows", round, n)
	}
	return nil
}

// The cache keeps no row that the table has, and folds go on all the time.
func TestView_ReadsSameCommitDuringEvictionAndFold(t *testing.T) {
	s := openSmall(t, newPool(t), 1)
	require.NoError(t, s.Update(t.Context(), writeRound(1)))
	ctx, end := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := s.View(t.Context(), requireOneRound); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for round := range 60 {
		require.NoError(t, s.Update(t.Context(), writeRound(round+1)))
	}
	end()
	readers.Wait()
}

func TestCache_KeepsMemoryLimitForReadRows(t *testing.T) {
	const number, size, bound = 5_000, 4_000, 1 << 20
	pool := newPool(t)
	s := openShop(t, pool)
	for start := 0; start < number; start += 500 {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			for i := start; i < start+500; i++ {
				if err := w.Put(store.Bodies, fmt.Appendf(nil, "%06d", i), make([]byte, size)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	require.NoError(t, s.Close())
	s = openSmall(t, pool, bound)
	before, n := heap(), 0
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for _, err := range r.Scan(store.Range{Space: store.Bodies}) {
			require.NoError(t, err)
			n++
		}
		return nil
	}))
	require.Equal(t, number, n)
	require.Less(t, heap()-before, int64(4*bound), "of %d", number*size)
	runtime.KeepAlive(s)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

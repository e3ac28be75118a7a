package postgres_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// The rows are in the table and in the log, more of them than are asked for at once.
func TestSnapshot_ShowsOneMomentDuringChanges(t *testing.T) {
	t.Parallel()
	address := postgrestest.StartServer(t)
	node, err := postgres.JoinDatabase(t.Context(), address, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(node.Close)
	many := func(s *postgres.Store, value string) {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			for i := range 2500 {
				if err := w.Put(store.Records, fmt.Appendf(nil, "%04d", i), []byte(value)); err != nil {
					return err
				}
			}
			return w.Put(store.Touches, []byte("only"), nil)
		}))
	}
	first := openShop(t, node.Pool)
	many(first, "folded")
	require.NoError(t, first.Close())
	s := openShop(t, node.Pool)
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error { return w.Delete(store.Records, []byte("0100")) }))
	require.NoError(t, put(t, s, "0200", "in the log"))
	want := readAllRows(t, s)
	require.Len(t, want, 2499)
	same := func(b store.Backend) error {
		require.ErrorIs(t, b.Update(t.Context(), func(store.Writer) error { return nil }), store.ErrReadOnly)
		return b.View(t.Context(), func(r store.Reader) error {
			for _, reverse := range []bool{false, true} {
				var all []string
				for row, err := range r.Scan(store.Range{Space: store.Records, Reverse: reverse}) {
					require.NoError(t, err)
					all = append(all, string(row.Key)+"="+string(row.Value))
				}
				if reverse {
					require.Equal(t, want[0], all[len(all)-1])
					require.Len(t, all, len(want))
				} else {
					require.Equal(t, want, all)
				}
			}
			value, err := r.Get(store.Touches, []byte("only"))
			require.NotNil(t, value)
			return err
		})
	}
	standby, err := postgres.JoinDatabase(t.Context(), postgrestest.StartStandby(t, address), time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(standby.Close)
	require.NoError(t, standby.Snapshot(t.Context(), "shop", same))
	require.NoError(t, node.Snapshot(t.Context(), "shop", func(b store.Backend) error {
		many(s, "later")
		require.NoError(t, s.Close(), "which folds")
		return same(b)
	}))
	require.ErrorIs(t, node.Snapshot(t.Context(), "none", same), postgres.ErrNoWorkspace)
}

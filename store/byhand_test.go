package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt/byhand"
	"handoff/store/memory"
)

// byHand writes the rows of b.N lives into bbolt, so many commits in a transaction, and tells how long that took,
// without the time to make them up.
func byHand(b *testing.B, group int) (took time.Duration) {
	db, err := byhand.Open(filepath.Join(b.TempDir(), "raw.db"))
	require.NoError(b, err)
	backend := memory.New()
	for n := 0; n < b.N; n += group {
		r := byhand.Record(backend)
		s := store.New(r)
		for c := range min(group, b.N-n) {
			for _, fn := range (cycle{int64(n + c)}).commits() {
				require.NoError(b, s.Update(b.Context(), fn))
			}
		}
		txs := r.Transactions()
		for part := range 3 { // as many transactions as the callers need
			start := time.Now()
			require.NoError(b, db.Commit(txs[part*len(txs)/3:(part+1)*len(txs)/3]...))
			took += time.Since(start)
		}
	}
	require.NoError(b, db.Close())
	return took
}

package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/memory"
)

// TestAscendingKeysAreKeptAndHalfOfThemDeleted fills a store in the worst order for a tree, ascending, and takes
// half of it out again.
func TestAscendingKeysAreKeptAndHalfOfThemDeleted(t *testing.T) {
	const n = 100_000
	s := memory.New()
	for start := 0; start < n; start += 1000 {
		require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
			for i := start; i < start+1000; i++ {
				if err := w.Put(store.Records, fmt.Appendf(nil, "%08d", i), nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	require.NoError(t, s.Update(t.Context(), func(w store.Writer) error {
		for i := 0; i < n; i += 2 {
			if err := w.Delete(store.Records, fmt.Appendf(nil, "%08d", i)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		want := 1
		for row, err := range r.Scan(store.Range{Space: store.Records}) {
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%08d", want), string(row.Key))
			want += 2
		}
		require.Equal(t, n+1, want)
		return nil
	}))
}

func BenchmarkUpdate(b *testing.B) {
	s := memory.New()
	for i := 0; b.Loop(); i++ {
		err := s.Update(b.Context(), func(w store.Writer) error {
			return w.Put(store.Records, fmt.Appendf(nil, "%08d", i), []byte("value"))
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

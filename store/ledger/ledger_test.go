package ledger_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"

	"handoff/store/ledger"
)

// registry is a list of events with their rows.
type registry struct{ events, rows [][]byte }

func (r *registry) row(n int64) ([]byte, error) { return r.rows[n], nil }

func build(t *testing.T, size int) *registry {
	r := &registry{}
	for n := range size {
		event := fmt.Appendf(nil, "event %d", n)
		row, err := ledger.ComputeRow(int64(n), event, r.row)
		require.NoError(t, err)
		r.events, r.rows = append(r.events, event), append(r.rows, row)
	}
	return r
}

func (r *registry) walk() (root string, bad []int) {
	var w ledger.TreeWalk
	for n := range r.events {
		if w.AddAndCompare(r.events[n], r.rows[n]) != nil {
			bad = append(bad, n)
		}
	}
	return w.Root(), bad
}

func TestTreeWalk_ReturnsSameRootAsTree(t *testing.T) {
	r := build(t, 100)
	for size := 1; size <= 100; size++ {
		part := &registry{r.events[:size], r.rows[:size]}
		walked, bad := part.walk()
		require.Empty(t, bad)
		stored, err := ledger.TreeRows(part.row).Root(int64(size))
		require.NoError(t, err)
		require.Equal(t, stored, walked)
	}
}

func TestTreeWalk_FindsEveryChangedByte(t *testing.T) {
	r := build(t, 23)
	want, _ := r.walk()
	for n := range r.events {
		for _, bytes := range [][]byte{r.events[n], r.rows[n]} {
			for i := range bytes {
				bytes[i] ^= 1
				_, bad := r.walk()
				require.Contains(t, bad, n, "byte %d of event %d", i, n)
				bytes[i] ^= 1
			}
		}
	}
	got, bad := r.walk()
	require.Empty(t, bad)
	require.Equal(t, want, got)
}

func TestTreeRows_ReportRowThatIsTooShort(t *testing.T) {
	r := build(t, 8)
	r.rows[7] = r.rows[7][:32]
	_, bad := r.walk()
	require.Equal(t, []int{7}, bad)
	_, err := tlog.TreeHash(8, ledger.TreeRows(r.row))
	require.ErrorContains(t, err, "event 8")
}

func TestTreeWalk_WithoutEventsHasNoRoot(t *testing.T) {
	var w ledger.TreeWalk
	require.Empty(t, w.Root())
}

package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// Between the reading of the part and its adding, the row is changed, folded and evicted. A test with a server cannot
// force this order.
func TestCache_IgnoresRowsReadBeforeFoldEnded(t *testing.T) {
	c, key, all := newCache(1), []byte("a"), store.Range{Space: store.Records}
	told := func(value string, folds int64) tablePart {
		return newTablePart(all, []store.Row{{Key: key, Value: []byte(value)}}, maxBatch, folds)
	}
	before := c.folds.Load()
	c.put(store.Records, key, []byte("new"), 5)
	c.recordFold([]changedKey{{5, store.Records, "a"}}, 5)

	_, known := c.addPartAndGet(told("old", before), key, 5)
	require.False(t, known)
	require.Equal(t, stretch{ask: true}, c.addPartAndScan(told("old", before), all, nil, maxBatch, 5))
	_, known = c.get(store.Records, key, 5)
	require.False(t, known)

	value, known := c.addPartAndGet(told("new", c.folds.Load()), key, 5)
	require.True(t, known)
	require.Equal(t, "new", string(value))
	require.Zero(t, c.evictable)
}

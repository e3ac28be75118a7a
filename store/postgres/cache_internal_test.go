package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
)

// Between the two moments the row was changed, folded and forgotten. No test over a server comes in between.
func TestWhatTheTableHadBeforeAFoldIsNotLearnedAfterIt(t *testing.T) {
	c, key, old := newCache(1), []byte("a"), store.Row{Key: []byte("a"), Value: []byte("old")}
	before := c.folds.Load()
	c.put(store.Records, key, []byte("new"), 5)
	c.folded([]change{{5, store.Records, "a"}}, 5)

	_, known := c.learnRow(store.Records, old, before, 5)
	require.False(t, known)
	all := store.Range{Space: store.Records}
	require.Equal(t, stretch{ask: true}, c.learnRange(part{all, []store.Row{old}, before}, all, nil, most, 5))
	_, known = c.get(store.Records, key, 5)
	require.False(t, known)

	value, known := c.learnRow(store.Records, store.Row{Key: key, Value: []byte("new")}, c.folds.Load(), 5)
	require.True(t, known)
	require.Equal(t, "new", string(value))
	require.Zero(t, c.spare)
}

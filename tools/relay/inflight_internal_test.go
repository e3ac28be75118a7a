package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The number of calls under way is not visible outside.
func TestInflight_AnnouncesManyCallsOnce(t *testing.T) {
	t.Parallel()
	var told []bool
	c := inflight{notify: func(many bool) { told = append(told, many) }}
	for range 300 {
		c.count(1)
	}
	require.Equal(t, []bool{true}, told)
	for range 200 {
		c.count(-1)
	}
	require.Len(t, told, 1, "it does not change its mind at each call")
	for range 100 {
		c.count(-1)
	}
	require.Equal(t, []bool{true, false}, told)
}

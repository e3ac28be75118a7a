package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The number of calls under way is not visible outside.
func TestCallCounter_ReportsManyRunningCallsOnce(t *testing.T) {
	t.Parallel()
	var told []bool
	c := callCounter{notify: func(many bool) { told = append(told, many) }}
	for range 300 {
		c.addCalls(1)
	}
	require.Equal(t, []bool{true}, told)
	for range 200 {
		c.addCalls(-1)
	}
	require.Len(t, told, 1, "it does not change its mind at each call")
	for range 100 {
		c.addCalls(-1)
	}
	require.Equal(t, []bool{true, false}, told)
}

package relay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// How many calls are under way does not show outside.
func TestManyCallsAtOnceAreAnnouncedOnce(t *testing.T) {
	t.Parallel()
	var told []bool
	c := inflight{notify: func(many bool) { told = append(told, many) }}
	var leave []func()
	for range 300 {
		leave = append(leave, c.enter())
	}
	require.Equal(t, []bool{true}, told)
	for _, l := range leave[:200] {
		l()
	}
	require.Len(t, told, 1, "it does not change its mind at each call")
	for _, l := range leave[200:] {
		l()
	}
	require.Equal(t, []bool{true, false}, told)
}

package relay

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/tools/platform"
)

// The number of running calls is not visible outside.
func TestCountCall_RaisesMemoryLimitForManyCalls(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	platform.SetMemoryLimit(false)
	small, o := debug.SetMemoryLimit(-1), new(owner)
	for range manyCalls - 1 {
		o.countCall()
	}
	require.Equal(t, small, debug.SetMemoryLimit(-1))
	o.countCall()
	require.Greater(t, debug.SetMemoryLimit(-1), small)
}

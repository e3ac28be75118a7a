//go:build unix

package together_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	frugal   = 0.001 // of a core: the aim for a process that has nothing to do
	wasteful = 0.01  // more than other load on the machine explains
)

// TestIdle_TakesNoProcessorTime leaves four processes alone and measures the processor time that each takes.
func TestIdle_TakesNoProcessorTime(t *testing.T) {
	t.Parallel()
	during := lasting(t, "HANDOFF_IDLE", 10*time.Second)
	p := newPlace(t)
	all := p.several("planner", "qa", "dev", "ops")
	owner, _ := p.parted(all)
	elapse(t, time.Second) // work after a start is over then

	before := map[*process]time.Duration{}
	for _, s := range all {
		before[s] = used(t, s.pid)
		require.Positive(t, before[s], "to start takes time, where time is counted")
	}
	elapse(t, during)
	for _, s := range all {
		share := float64(used(t, s.pid)-before[s]) / float64(during)
		role := "guest"
		if s == owner {
			role = "owner"
		}
		t.Logf("%s: %.3f %% of a core over %v (aim: %.1f %%)", role, 100*share, during, 100*frugal)
		require.Less(t, share, wasteful)
	}
	endAll(t, all)
}

// elapse lets time pass without work: the test measures that time.
func elapse(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-inTime(t).Done():
		require.Fail(t, "the tests have no time left")
	}
}

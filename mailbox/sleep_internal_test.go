package mailbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// How much is remembered is not to be seen from outside.
func TestOldSleepsCountAsOne(t *testing.T) {
	var p sleeps
	now, awake := time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC), time.Duration(0)
	tick := func() time.Time {
		p.read(func() time.Time { return now }, func() time.Duration { return awake })
		return now
	}
	begun := tick()
	var at []time.Time // after each sleep
	for range 3 * sleepsKept {
		now = now.Add(time.Hour)
		tick()
		now, awake = now.Add(time.Minute), awake+time.Minute
		at = append(at, tick())
	}
	require.Len(t, p.known, sleepsKept)
	require.Equal(t, 3*sleepsKept*time.Hour, p.since(begun))
	require.Equal(t, 10*time.Hour, p.since(at[len(at)-11]))
	require.InDelta(t, (2*sleepsKept-1)*time.Hour, p.since(at[sleepsKept]), float64(time.Hour+10*time.Minute))
	require.Zero(t, p.since(now))
	require.Equal(t, now.Add(-time.Minute), p.over(now.Add(-2*time.Minute)))
	require.Zero(t, p.over(now))
}

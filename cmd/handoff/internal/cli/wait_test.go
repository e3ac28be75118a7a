package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A long wait consists of several calls. All of them keep the same place among the waiting agents.
func TestRepeatUntilDone_CallsHaveStartOfWait(t *testing.T) {
	began := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		limit time.Duration
		want  []time.Duration // after the beginning, when the calls end
	}{
		{"none", 0, []time.Duration{0}},
		{"short", 20 * time.Second, []time.Duration{20 * time.Second}},
		{"long", 2 * time.Minute, []time.Duration{50 * time.Second, 100 * time.Second, 120 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ends []time.Duration
			now := began
			conn := &Connection{App: &App{Env: Env{Now: func() time.Time { return now }}}}
			require.NoError(t, conn.RepeatUntilDone(t.Context(), c.limit, func(Arguments) (bool, error) {
				made := conn.newCall("claim_handoff", nil)
				require.Equal(t, began, made.Since)
				ends = append(ends, made.Until.Sub(began))
				now = made.Until
				return false, nil
			}))
			require.Equal(t, c.want, ends)
			require.Zero(t, conn.newCall("claim_handoff", nil).Since, "a call after the wait")
		})
	}
}

func TestWaitPart_RoundsSecondsUp(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]Arguments{
		-time.Second:            {},
		0:                       {},
		time.Millisecond:        {"wait_seconds": 1},
		1500 * time.Millisecond: {"wait_seconds": 2},
		time.Hour:               {"wait_seconds": 50},
	} {
		require.Equal(t, want, nextWaitPart(now, now, now.Add(left)).waitArguments(now), left)
	}
}

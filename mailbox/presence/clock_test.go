package presence_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/presence"
)

var begin = time.Date(2026, 1, 11, 20, 30, 0, 0, time.UTC)

// fakeMachine is a machine that sleeps when a test calls its method sleep.
type fakeMachine struct {
	*presence.Clock
	now   time.Time
	awake time.Duration
}

func newMachine() *fakeMachine {
	m := &fakeMachine{now: begin}
	m.Clock = presence.NewClock(func() time.Time { return m.now }, func() time.Duration { return m.awake })
	return m
}

func (m *fakeMachine) work(d time.Duration) {
	m.now, m.awake = m.now.Add(d), m.awake+d
	m.Read()
}

func (m *fakeMachine) sleep(d time.Duration) {
	m.now = m.now.Add(d)
	m.Read()
}

func TestClock_CountsTimeAwake(t *testing.T) {
	m := newMachine()
	m.work(time.Hour)
	m.sleep(8 * time.Hour)
	m.work(time.Minute)
	now, running := m.Read()
	require.Equal(t, begin.Add(9*time.Hour+time.Minute), now)
	require.Equal(t, 61*time.Minute, running)
	require.Equal(t, 8*time.Hour, m.SleptSince(begin))
	require.Equal(t, begin.Add(9*time.Hour), m.WokeAfter(begin.Add(2*time.Hour)))
	require.Zero(t, m.WokeAfter(begin.Add(30*time.Minute)))
}

func TestClock_WithoutAwakeTimeNeverSleeps(t *testing.T) {
	now := begin
	c := presence.NewClock(func() time.Time { return now }, nil)
	now = now.Add(8 * time.Hour)
	read, running := c.Read()
	require.Equal(t, now, read)
	require.Equal(t, 8*time.Hour, running)
	require.Zero(t, c.SleptSince(begin))
}

func TestClock_CountsNoSleepForMinuteAhead(t *testing.T) {
	m := newMachine()
	m.sleep(time.Minute)
	require.Zero(t, m.SleptSince(begin))
	m.sleep(time.Minute + 1)
	require.Equal(t, time.Minute+1, m.SleptSince(begin))
}

func TestClock_DropsLaterSleepsWhenSetBack(t *testing.T) {
	m := newMachine()
	m.sleep(time.Hour)
	m.sleep(-30 * time.Minute)
	require.Zero(t, m.SleptSince(begin))
	require.Equal(t, begin, m.Started())
}

// The clock keeps 64 sleeps. The oldest may stand for several sleeps with the time between them.
func TestClock_MergesOldestSleeps(t *testing.T) {
	const kept, all = 64, 3 * 64
	m := newMachine()
	var at []time.Time // after the minute of work behind each sleep
	for range all {
		m.sleep(time.Hour)
		m.work(time.Minute)
		at = append(at, m.now)
	}
	require.Equal(t, all*time.Hour, m.SleptSince(begin))
	require.Equal(t, 10*time.Hour, m.SleptSince(at[all-11]))
	require.InDelta(t, (2*kept-1)*time.Hour, m.SleptSince(at[kept]), float64(time.Hour+10*time.Minute))
	require.Zero(t, m.SleptSince(m.now))
	require.Equal(t, m.now.Add(-time.Minute), m.WokeAfter(m.now.Add(-2*time.Minute)))
	require.Zero(t, m.WokeAfter(m.now))
	atWork := func(i int) time.Time { return at[i].Add(-30 * time.Second) }
	require.Zero(t, m.WokeAfter(atWork(all-kept)), "the last minute at work between two sleeps that are kept apart")
	require.NotZero(t, m.WokeAfter(atWork(all-kept-1)), "the last minute within the one that stands for several")
}

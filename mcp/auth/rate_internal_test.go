package auth // no outside caller sees which buckets are dropped

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimits_DropFullBuckets(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newLimits()
	for i := range 100_000 {
		l.allow(strconv.Itoa(i), 10, now)
		now = now.Add(time.Millisecond) // each has filled up again after 100 ms
	}
	require.LessOrEqual(t, len(l.by), minSweep)
}

func TestLimits_KeepBucketsThatAreNotFull(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newLimits()
	for range 20 {
		require.Zero(t, l.allow("busy", 1, now))
	}
	for i := range 10_000 {
		l.allow(strconv.Itoa(i), 10, now)
	}
	require.Equal(t, time.Second, l.allow("busy", 1, now))
}

func TestLimits_AcceptChangedRate(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newLimits()
	for range 20 {
		require.Zero(t, l.allow("ci", 1, now))
	}
	require.Equal(t, time.Second, l.allow("ci", 1, now))
	require.Equal(t, time.Second/100, l.allow("ci", 100, now))
	now = now.Add(time.Minute)
	for range 200 {
		require.Zero(t, l.allow("ci", 100, now))
	}
	require.NotZero(t, l.allow("ci", 100, now))
}

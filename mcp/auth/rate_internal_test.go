package auth // no outside caller sees which buckets are dropped

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRateLimits_DropFullBuckets(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newRateLimits()
	for i := range 100_000 {
		l.countRequest(strconv.Itoa(i), 10, now)
		now = now.Add(time.Millisecond) // each bucket is full again after 100 ms
	}
	require.LessOrEqual(t, len(l.by), minSweep)
}

func TestRateLimits_KeepBucketsThatAreNotFull(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newRateLimits()
	for range 20 {
		require.Zero(t, l.countRequest("busy", 1, now))
	}
	for i := range 10_000 {
		l.countRequest(strconv.Itoa(i), 10, now)
	}
	require.Equal(t, time.Second, l.countRequest("busy", 1, now))
}

func TestRateLimits_ApplyChangedRate(t *testing.T) {
	now := time.Date(2026, 1, 31, 17, 0, 0, 0, time.UTC)
	l := newRateLimits()
	for range 20 {
		require.Zero(t, l.countRequest("ci", 1, now))
	}
	require.Equal(t, time.Second, l.countRequest("ci", 1, now))
	require.Equal(t, time.Second/100, l.countRequest("ci", 100, now))
	now = now.Add(time.Minute)
	for range 200 {
		require.Zero(t, l.countRequest("ci", 100, now))
	}
	require.NotZero(t, l.countRequest("ci", 100, now))
}

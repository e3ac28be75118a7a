package schemas_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestParseDuration_ReadsEverySpelling(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"":           0,
		"5":          5 * time.Minute,
		"30 minutes": 30 * time.Minute,
		"1h30m":      90 * time.Minute,
		"2 days, 3h": 51 * time.Hour,
		"1.5 HRS":    90 * time.Minute,
		"250ms":      250 * time.Millisecond,
		"1w":         7 * 24 * time.Hour,
	} {
		d, err := schemas.ParseDuration("timeout", text)
		require.NoError(t, err, text)
		require.Equal(t, want, d, text)
	}
}

func TestParseDuration_RefusesTextThatIsNoDuration(t *testing.T) {
	for _, text := range []string{"soon", "5 fortnights", "5µs", "5µ", "-5", "1e300", "11 years", "600000h"} {
		_, err := schemas.ParseDuration("timeout", text)
		require.Equal(t, "timeout", schemas.AsError(err).Field, text)
	}
}

func TestParseTime_RefusesZeroTime(t *testing.T) {
	_, err := schemas.ParseTime("deadline", "0001-01-01T00:00:00Z", time.Now())
	require.Equal(t, "deadline", schemas.AsError(err).Field)
}

func TestParseTime_ReadsDaysInWords(t *testing.T) {
	here := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 11, 22, 15, 30, 0, 0, here)
	for text, want := range map[string]string{
		"yesterday": "2026-11-21T00:00", "Today": "2026-11-22T00:00", "tomorrow at 17:00": "2026-11-23T17:00",
		"2026-11-21": "2026-11-21T00:00", "2026-11-21 08:15": "2026-11-21T08:15", "2026-11-21T08:15": "2026-11-21T08:15",
		"2h ago": "2026-11-22T13:30", "in 2 hours": "2026-11-22T17:30", "30m": "2026-11-22T16:00",
		"17:00": "2026-11-22T17:00", "Friday": "2026-11-27T00:00", "fri at 9:30": "2026-11-27T09:30", "sunday": "2026-11-29T00:00",
		"last friday": "2026-11-20T00:00", "last sunday": "2026-11-15T00:00", "last sat 12:00": "2026-11-21T12:00",
	} {
		at, err := schemas.ParseTime("since", text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, at.In(here).Format("2006-01-02T15:04"), text)
	}
	until, err := schemas.ParseDeadline("deadline", "tomorrow", now)
	require.NoError(t, err)
	require.Equal(t, "2026-11-24T00:00", until.In(here).Format("2006-01-02T15:04"))
	for _, text := range []string{"tomorrow morning", "next friday", "last tomorrow", "25:00", "2026-13-01", "ago", "2036-12-01"} {
		_, err := schemas.ParseTime("since", text, now)
		require.Error(t, err, text)
	}
}

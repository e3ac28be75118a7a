package schemas_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestDurationsAreReadInEverySpelling(t *testing.T) {
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

func TestTextThatIsNoDurationIsRefused(t *testing.T) {
	for _, text := range []string{"soon", "5 fortnights", "5µs", "5µ", "-5", "1e300", "11 years", "600000h"} {
		_, err := schemas.ParseDuration("timeout", text)
		require.Equal(t, "timeout", schemas.AsError(err).Field, text)
	}
}

func TestTheTimeThatMeansNoneIsRefusedInWords(t *testing.T) {
	_, err := schemas.ParseTime("deadline", "0001-01-01T00:00:00Z", time.Now())
	require.Equal(t, "deadline", schemas.AsError(err).Field)
}

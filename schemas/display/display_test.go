package display_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas/display"
)

func TestFormatDuration_RoundsToReadableUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                               "<1 s",
		999 * time.Millisecond:          "<1 s",
		time.Second:                     "1 s",
		12400 * time.Millisecond:        "12 s",
		59600 * time.Millisecond:        "1 min",
		15 * time.Minute:                "15 min",
		27*time.Minute + 40*time.Second: "28 min",
		time.Hour - time.Second:         "1 h",
		2*time.Hour + 5*time.Minute:     "2 h 5 min",
		24*time.Hour - time.Second:      "1 d",
		76 * time.Hour:                  "3 d 4 h",
		-time.Minute:                    "<1 s",
	} {
		require.Equal(t, want, display.FormatDuration(d), d)
	}
}

// A terminal would continue a long line in its first column, where only lines of handoff itself may begin.
func TestSplitLines_BreaksAtTerminalWidth(t *testing.T) {
	style := display.Style{Width: 60}
	require.Equal(t, []string{"a", "b"}, display.Style{}.SplitLines("a\r\nb\n", 2))
	require.Equal(t, []string{strings.Repeat("x", 58), "✓ done"}, style.SplitLines(strings.Repeat("x", 58)+"✓ done", 2))
	require.Equal(t, []string{"one", "two"}, style.SplitLines("one"+strings.Repeat(" ", 60)+"two", 2)[:2])
	for _, line := range style.SplitLines(strings.Repeat("東京 tower\twith a view ", 20), 5) {
		require.LessOrEqual(t, display.CountColumns(line), 55)
	}
}

package schemas

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var durationForm = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*`)

var durationUnits = map[string]time.Duration{
	"": time.Minute, "ms": time.Millisecond, "millisecond": time.Millisecond,
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// ParseDuration reads a duration as people and models write it: "30 minutes", "1h30m", "2 days". Bare numbers are
// minutes, and empty text is zero. The error names the field and shows how a duration is written; it also refuses a
// duration that is negative or longer than [MaxDuration].
func ParseDuration(field, s string) (time.Duration, error) {
	var sum time.Duration
	for rest := strings.TrimSpace(s); rest != ""; {
		m := durationForm.FindStringSubmatch(rest)
		if m == nil {
			return 0, badDuration(field, s)
		}
		unit, ok := durationUnits[singular(m[2])]
		n, err := strconv.ParseFloat(m[1], 64)
		if !ok || err != nil || n*float64(unit)+float64(sum) > float64(MaxDuration) {
			return 0, badDuration(field, s)
		}
		sum += time.Duration(n * float64(unit))
		rest = strings.TrimPrefix(rest[len(m[0]):], ", ")
	}
	return sum, nil
}

// MaxDuration is the longest duration that [ParseDuration] reads, and the furthest time ahead that [ParseTime] does.
const MaxDuration = 10 * 365 * 24 * time.Hour

func singular(unit string) string {
	unit = strings.ToLower(unit)
	if len(unit) > 2 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return unit
}

func badDuration(field, s string) error {
	return Invalidf(field, "%q is not a duration", Visible(s)).
		WithHint(`Write "30 minutes", "1h30m" or a number of minutes.`)
}

// ParseTime reads a point in time: RFC 3339, or a duration from now, which the caller gives. Empty text is the zero
// time, so the text of that time is refused. The error names the field; it also refuses a time more than [MaxDuration]
// away. A time in the past is no error.
func ParseTime(field, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil && !t.IsZero() {
		if t.After(now.Add(MaxDuration)) {
			return time.Time{}, Invalidf(field, "%q is more than ten years away", Visible(s)).WithHint("Give an earlier time.")
		}
		return t.UTC(), nil
	}
	d, err := ParseDuration(field, s)
	if err != nil {
		return time.Time{}, Invalidf(field, "%q is not a time", Visible(s)).
			WithHint(`Write RFC 3339, as 2026-01-31T17:00:00Z, or a duration from now, as "2 hours".`)
	}
	return now.Add(d), nil
}

package schemas

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var durationPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*`) })

var durationUnits = map[string]time.Duration{
	"": time.Minute, "ms": time.Millisecond, "millisecond": time.Millisecond,
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// ParseDuration reads a duration as people and models write it: "30 minutes", "1h30m", "2 days". A bare number is in
// minutes, and empty text is zero. ParseDuration refuses a negative duration and one longer than [MaxDuration]. The
// error names the field and shows how to write a duration.
func ParseDuration(field, s string) (time.Duration, error) {
	var sum time.Duration
	for rest := strings.TrimSpace(s); rest != ""; {
		m := durationPattern().FindStringSubmatch(rest)
		if m == nil {
			return 0, invalidDuration(field, s)
		}
		unit, ok := durationUnits[singular(m[2])]
		n, err := strconv.ParseFloat(m[1], 64)
		if !ok || err != nil || n*float64(unit)+float64(sum) > float64(MaxDuration) {
			return 0, invalidDuration(field, s)
		}
		sum += time.Duration(n * float64(unit))
		rest = strings.TrimPrefix(rest[len(m[0]):], ", ")
	}
	return sum, nil
}

// IsDuration reports whether a text is a duration with a unit, such as "30m".
func IsDuration(s string) bool {
	_, err := ParseDuration("", s)
	return err == nil && strings.Trim(s, "0123456789. ") != ""
}

// MaxDuration is the longest duration that [ParseDuration] accepts. [ParseTime] accepts no time further ahead than
// this.
const MaxDuration = 10 * 365 * 24 * time.Hour

func singular(unit string) string {
	unit = strings.ToLower(unit)
	if len(unit) > 2 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return unit
}

func invalidDuration(field, s string) error {
	return Invalidf(field, "%q is not a duration", EscapeHidden(s)).
		WithHint(`Write "30 minutes", "1h30m" or a number of minutes.`)
}

// dayForms are the accepted forms of a date, with or without a time of day.
var dayForms = []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// parseDay reads a day as people write it: a date, today, yesterday, tomorrow, "friday" for the next Friday, or "last
// friday". A time of day may follow. A time of day alone is a time today. The day is relative to now, in the time zone
// of now. Whole is true if s has no time of day. For any other text the result is the zero time.
func parseDay(s string, now time.Time) (day time.Time, whole bool) {
	text, last := strings.CutPrefix(strings.ToLower(strings.TrimSpace(s)), "last ")
	if _, err := time.Parse("15:04", text); err == nil && !last {
		text = "today " + text
	}
	word, rest, _ := strings.Cut(text, " ")
	if days, ok := daysUntil(word, now.Weekday(), last); ok {
		s = strings.TrimSpace(now.AddDate(0, 0, days).Format(time.DateOnly) + " " + strings.TrimPrefix(rest, "at "))
	}
	for _, form := range dayForms {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, form == time.DateOnly
		}
	}
	return time.Time{}, false
}

// daysUntil returns the number of days from today to the day that the word names. Known is false if the word names no
// day.
func daysUntil(word string, today time.Weekday, last bool) (days int, known bool) {
	if days, known = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}[word]; known {
		return days, !last
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := strings.ToLower(day.String())
		switch {
		case word != name && word != name[:3]:
		case last:
			return -(int(today-day+6)%7 + 1), true
		default:
			return int(day-today+6)%7 + 1, true
		}
	}
	return 0, false
}

// ParseDeadline reads a deadline as [ParseTime] does, except that a day without a time of day means the end of this
// day.
func ParseDeadline(field, s string, now time.Time) (time.Time, error) {
	t, err := ParseTime(field, s, now)
	if day, whole := parseDay(s, now); whole {
		t = day.AddDate(0, 0, 1).UTC()
	}
	return t, err
}

// ParseTime reads a point in time: RFC 3339, a day as people write it, "now", or a duration from now or ago. A day
// without a time of day means its beginning, in the time zone of now. Empty text gives the zero time, which callers
// take for no time. So ParseTime refuses a text that spells out the zero time, and a time more than [MaxDuration]
// ahead. A past time is valid. The error names the field.
func ParseTime(field, s string, now time.Time) (time.Time, error) {
	switch s {
	case "":
		return time.Time{}, nil
	case "now":
		return now.UTC(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t, _ = parseDay(s, now)
	}
	if !t.IsZero() {
		if t.After(now.Add(MaxDuration)) {
			return time.Time{}, Invalidf(field, "%q is more than ten years away", EscapeHidden(s)).WithHint("Give an earlier time.")
		}
		return t.UTC(), nil
	}
	ago, past := strings.CutSuffix(strings.TrimSpace(s), " ago")
	d, err := ParseDuration(field, strings.TrimPrefix(ago, "in "))
	if err != nil {
		return time.Time{}, Invalidf(field, "%q is not a time", EscapeHidden(s)).
			WithHint(`Write RFC 3339, as 2026-01-31T17:00:00Z, a day, as tomorrow, friday or 2026-01-31, a time of today, as 17:00, or a duration from now, as "2 hours".`)
	}
	if past {
		d = -d
	}
	return now.Add(d), nil
}

// ParsePastTime reads a time as [ParseTime] does, but of the past: a duration is one before now ("12h" is 12 hours ago),
// and a weekday is the last one. It refuses any other time after now.
func ParsePastTime(field, s string, now time.Time) (time.Time, error) {
	written := s
	if IsDuration(s) {
		written += " ago"
	}
	t, err := ParseTime(field, written, now)
	if err != nil || !t.After(now) {
		return t, err
	}
	if t, err = ParseTime(field, "last "+written, now); err != nil { // a weekday
		return t, Invalidf(field, "%q is later than now", EscapeHidden(s)).
			WithHint(`Write a time before now, such as "yesterday" or "2h".`)
	}
	return t, nil
}

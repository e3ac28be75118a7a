package store

import (
	"encoding/binary"
	"time"

	"handoff/schemas"
)

// number writes a value so that keys sort as values do.
func number[T ~uint64 | ~int64](v T) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)) }

// lastNumber reads the number at the end of a key.
func lastNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}

// beyond is the first key after that of a number, also of the largest.
func beyond[T ~uint64](v T) []byte { return append(number(v), 0) }

// word ends a text with a zero byte, so that no text in a key is the beginning of another.
func word[T ~string](s T) []byte { return append([]byte(s), 0) }

func join(parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	key := make([]byte, 0, size)
	for _, p := range parts {
		key = append(key, p...)
	}
	return key
}

// Time is a point in time as rows keep it: milliseconds since 1970. Zero is no time.
type Time int64

// At converts a time, and drops what is below a millisecond. The zero time becomes zero.
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Time converts back, in UTC. Zero becomes the zero time.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// timeOf reads the time at the beginning of a key or a value; zero in a damaged one.
func timeOf(b []byte) Time {
	if len(b) < 8 {
		return 0
	}
	return Time(binary.BigEndian.Uint64(b)) //nolint:gosec // times are positive
}

// Ptr converts back, in UTC. Zero becomes nil.
func (t Time) Ptr() *time.Time {
	if t == 0 {
		return nil
	}
	return new(t.Time())
}

// bonus is how much time of waiting a priority is worth. No handoff starves: one of low priority comes before a
// critical one that was sent more than a day later.
var bonus = map[schemas.Priority]time.Duration{
	schemas.Low: 0, schemas.Normal: time.Hour, schemas.High: 4 * time.Hour, schemas.Critical: 24 * time.Hour,
}

// order is the position of a handoff in its mailbox. It never changes, so no row is moved as time passes.
func order(created Time, p schemas.Priority) []byte {
	return number(max(0, int64(created)-bonus[p].Milliseconds())) // a negative number would sort last
}

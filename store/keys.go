package store

import (
	"bytes"
	"encoding/binary"
	"time"

	"handoff/schemas"
)

// Number writes an id, a number or a time as it stands in keys, so that keys sort as values do.
//
// The 8 bytes are big-endian. A negative time would sort last, so callers pass none.
func Number[T ~uint64 | ~int64](v T) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)) }

// LastNumber reads the number at the end of a key, as [Number] wrote it.
//
// It is the id of the handoff in every index key, and zero in a key that is too short, which only a damaged store has.
func LastNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}

// keyAfter is the first key after that of a number, also of the largest.
func keyAfter[T ~uint64](v T) []byte { return append(Number(v), 0) }

// terminated ends a text with a zero byte, so that no text in a key is the beginning of another.
//
// No text in a key has a zero byte, because package tools refuses a NUL character in any argument. A text at the end of
// a key needs no mark.
func terminated[T ~string](s T) []byte { return append([]byte(s), 0) }

// firstNumber is the number at the beginning of a key, as it stands there.
func firstNumber(key []byte) []byte { return key[:min(8, len(key))] }

// firstWord is the text at the beginning of a key, with its zero byte.
func firstWord(key []byte) []byte { return key[:bytes.IndexByte(key, 0)+1] }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Time is a point in time as rows keep it: milliseconds since 1970. Zero is no time.
//
// Rows keep it instead of time.Time because it is short, sorts as bytes and has no zone. Two times that differ by less
// than a millisecond are the same to the store.
type Time int64

// At converts a time, and drops what is below a millisecond. The zero time becomes zero.
//
// A time before 1970 would be negative and sort after all others; no caller has one.
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
func timeOf(b []byte) Time { return Time(LastNumber(firstNumber(b))) } //nolint:gosec // times are positive

// Ptr converts back, in UTC. Zero becomes nil.
func (t Time) Ptr() *time.Time { return schemas.TimeOrNil(t.Time()) }

// priorityBonus is how much time of waiting a priority is worth. No handoff starves: one of low priority comes before a
// critical one that was sent more than a day later.
var priorityBonus = map[schemas.Priority]time.Duration{
	schemas.Low: 0, schemas.Normal: time.Hour, schemas.High: 4 * time.Hour, schemas.Critical: 24 * time.Hour,
}

// order is the position of a handoff in its mailbox. It never changes, so no row is moved as time passes.
//
// A handoff of a higher priority is placed as if it had been sent so much earlier. Handoffs with the same position come
// in the order of their ids, which follow it in the key.
func order(created Time, p schemas.Priority) []byte {
	return Number(max(0, int64(created)-priorityBonus[p].Milliseconds())) // a negative number would sort last
}

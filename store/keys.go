package store

import (
	"bytes"
	"encoding/binary"
	"time"

	"handoff/schemas"
)

// EncodeNumber encodes an id, a number or a time for a key, so that keys sort as their values do.
//
// The 8 bytes are big-endian. A negative time would sort last, so callers pass none.
func EncodeNumber[T ~uint64 | ~int64](v T) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(v))
}

// DecodeLastNumber decodes the [EncodeNumber] at the end of a key.
//
// In an index key it is the id of the handoff. It is zero if the key is too short, which happens only in a damaged
// store.
func DecodeLastNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}

// keyAfter returns the first key after the key of a number, also for the largest number.
func keyAfter[T ~uint64](v T) []byte { return append(EncodeNumber(v), 0) }

// zeroTerminated ends a text with a zero byte, so that no text in a key is the beginning of another.
//
// No text in a key has a zero byte, because package tools refuses a NUL character in any argument. A text at the end of
// a key needs no zero byte.
func zeroTerminated[T ~string](s T) []byte { return append([]byte(s), 0) }

// firstNumber returns the encoded number at the beginning of a key.
func firstNumber(key []byte) []byte { return key[:min(8, len(key))] }

// firstWord returns the text at the beginning of a key, with its zero byte.
func firstWord(key []byte) []byte { return key[:bytes.IndexByte(key, 0)+1] }

func joinBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Time is a point in time as rows keep it: milliseconds since 1970. Zero is no time.
//
// Rows keep it instead of time.Time because it is short, sorts as bytes and has no zone. The store does not distinguish
// two times within a millisecond.
type Time int64

// TimeOf converts a time and truncates it to milliseconds. The zero time becomes zero.
//
// A time before 1970 would be negative and sort after all others; no caller has one.
func TimeOf(t time.Time) Time {
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

// decodeTime reads the time at the beginning of a key or a value; zero in a damaged one.
func decodeTime(b []byte) Time { return Time(DecodeLastNumber(firstNumber(b))) } //nolint:gosec // times are positive

// Ptr converts back, in UTC. Zero becomes nil.
func (t Time) Ptr() *time.Time { return schemas.TimeOrNil(t.Time()) }

// priorityBonus is the head start of a priority in the queue. No handoff starves: one of low priority is ahead of a
// critical one that was sent more than a day later.
var priorityBonus = map[schemas.Priority]time.Duration{
	schemas.Low: 0, schemas.Normal: time.Hour, schemas.High: 4 * time.Hour, schemas.Critical: 24 * time.Hour,
}

// queuePosition returns the position of a handoff in its mailbox. It never changes, so no row moves as time passes.
//
// A handoff of a higher priority gets an earlier position, by its [priorityBonus]. Handoffs with the same position come
// in the order of their ids, which follow the position in the key.
func queuePosition(created Time, p schemas.Priority) []byte {
	return EncodeNumber(max(0, int64(created)-priorityBonus[p].Milliseconds())) // a negative number would sort last
}

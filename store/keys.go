package store

import (
	"bytes"
	"encoding/binary"
	"time"

	"handoff/schemas"
)

// EncodeNumber encodes an id, a number or a time in 8 big-endian bytes, so that keys sort as their values do. The value
// must not be negative.
func EncodeNumber[T ~uint64 | ~int64](v T) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(v))
}

// DecodeLastNumber decodes the last 8 bytes of a key, which [EncodeNumber] wrote. In an index key they are the id of
// the handoff. It returns zero if the key is too short, which happens only in a damaged store.
func DecodeLastNumber(key []byte) uint64 {
	if len(key) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-8:])
}

// keyAfter returns the first key after the key of a number, also for the largest number.
func keyAfter[T ~uint64](v T) []byte { return append(EncodeNumber(v), 0) }

// zeroTerminated returns the bytes of a text and a zero byte. So no text in a key is the beginning of another text.
// Package tools refuses zero bytes in arguments, so no text contains one.
func zeroTerminated[T ~string](s T) []byte { return append([]byte(s), 0) }

// firstNumber returns the encoded number at the beginning of a key.
func firstNumber(key []byte) []byte { return key[:min(8, len(key))] }

// firstWord returns the text at the beginning of a key, including its zero byte.
func firstWord(key []byte) []byte { return key[:bytes.IndexByte(key, 0)+1] }

func joinBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Time is a point in time in milliseconds since 1970. Zero means no time. Rows store Time and not time.Time, because it
// is short, sorts as bytes and has no zone.
type Time int64

// TimeOf converts a time and truncates it to milliseconds. The zero time becomes zero. The time must not be before
// 1970.
func TimeOf(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Time converts t to a time.Time in UTC. Zero becomes the zero time.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// decodeTime decodes the time at the beginning of a key or a value. It returns zero if b is too short.
func decodeTime(b []byte) Time { return Time(DecodeLastNumber(firstNumber(b))) } //nolint:gosec // times are positive

// Ptr converts t to a *time.Time in UTC. Zero becomes nil.
func (t Time) Ptr() *time.Time { return schemas.TimeOrNil(t.Time()) }

// priorityBonus is the time by which a priority moves a handoff forward in the queue. No handoff starves: a handoff of
// low priority comes before a critical handoff that was sent more than a day later.
var priorityBonus = map[schemas.Priority]time.Duration{
	schemas.Low: 0, schemas.Normal: time.Hour, schemas.High: 4 * time.Hour, schemas.Critical: 24 * time.Hour,
}

// QueuePosition returns the position of a handoff in the order of claims, as bytes to compare: its send time minus its
// [priorityBonus], and then its id. The position never changes, not even by a claim.
func QueuePosition(r *Record) []byte {
	at := max(0, int64(r.Created)-priorityBonus[r.Priority].Milliseconds()) // a negative number would sort last
	return joinBytes(EncodeNumber(at), EncodeNumber(r.ID))
}

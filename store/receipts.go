package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"handoff/schemas"
)

// Receipt remembers the outcome of a call, so that a repeat takes effect once. Idempotency keys and
// request ids are one mechanism with two expiries.
type Receipt struct {
	Digest string // of what was asked: the same key with other content is a conflict
	Result json.RawMessage
	At     Time
}

// ReceiptKey names a receipt.
type ReceiptKey []byte

// ByKey names the receipt of a sender's idempotency key. It is kept as long as the store.
func ByKey(from schemas.Agent, key string) ReceiptKey {
	return join([]byte("k"), word(from), []byte(key))
}

// ByRequest names the receipt of a request id, which begins with its time, so that old receipts lie
// together. It is kept for a day.
func ByRequest(id string) ReceiptKey { return join([]byte("r"), []byte(id)) }

// Receipt gives a receipt; nil when there is none.
func (v *View) Receipt(key ReceiptKey) (*Receipt, error) {
	b, err := v.r.Get(Receipts, key)
	if b == nil || err != nil {
		return nil, err
	}
	if len(b) < 8 {
		return nil, fmt.Errorf("receipt of %d bytes: %w", len(b), ErrCorrupt)
	}
	digest, result, _ := bytes.Cut(b[8:], []byte{0})
	return &Receipt{Digest: string(digest), Result: bytes.Clone(result), At: receiptTime(b)}, nil
}

// PutReceipt keeps a receipt.
func (t *Tx) PutReceipt(key ReceiptKey, r Receipt) error {
	return t.w.Put(Receipts, key, join(number(r.At), word(r.Digest), r.Result))
}

// DeleteReceipt forgets the outcome of a call.
func (t *Tx) DeleteReceipt(key ReceiptKey) error { return t.w.Delete(Receipts, key) }

// ExpireReceipts deletes receipts of request ids from before the given time, at most limit, in the order
// of their ids, and stops at the first that is younger: it never deletes a younger one and costs one seek.
// So ids must begin with their time in a fixed width. One that does not may hold up those behind it until
// it is old itself.
func (t *Tx) ExpireReceipts(before time.Time, limit int) error {
	for row, err := range t.w.Scan(Prefix(Receipts, []byte("r"))) {
		if err != nil {
			return err
		}
		if limit <= 0 || receiptTime(row.Value) >= At(before) {
			return nil
		}
		if err := t.w.Delete(Receipts, row.Key); err != nil {
			return err
		}
		limit--
	}
	return nil
}

// receiptTime is the time with which the row of a receipt begins; zero in a damaged one.
func receiptTime(b []byte) Time {
	if len(b) < 8 {
		return 0
	}
	return Time(binary.BigEndian.Uint64(b)) //nolint:gosec // times are positive
}

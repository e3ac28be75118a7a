package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"handoff/schemas"
)

// Receipt is the stored outcome of a call, so that a repeated call takes effect once and gets the same result. Receipts
// of idempotency keys and of request ids work alike and differ only in the time for which they are kept: see [KeyReceiptKey]
// and [RequestReceiptKey].
//
// The row is the time in 8 bytes, the digest, a zero byte, and the result as JSON. It is written in the transaction
// that takes effect, so both are kept or neither. So a retry is safe even if the process or its owner died in between:
// the call finds the receipt and returns its result, or finds none and takes effect for the first time.
type Receipt struct {
	Digest string // of the arguments: the same key with other arguments is a conflict
	Result json.RawMessage
	At     Time // of the first call
}

// ReceiptKey names a receipt. [KeyReceiptKey] and [RequestReceiptKey] make one.
type ReceiptKey []byte

// KeyReceiptKey names the receipt of a sender's idempotency key. It is kept as long as the store exists.
//
// The key is the sender's own text of any characters; senders do not see each other's keys.
func KeyReceiptKey(from schemas.Agent, key string) ReceiptKey {
	return joinBytes([]byte("k"), zeroTerminated(from), []byte(key))
}

// RequestReceiptKey names the receipt of a request id. Request ids begin with their time, so old receipts are next to each
// other. [Tx.DeleteOldReceipts] deletes them; callers keep them for a day.
//
// After they are deleted, a call that is repeated takes effect again. A day is far longer than any client retries.
func RequestReceiptKey(id string) ReceiptKey { return joinBytes([]byte("r"), []byte(id)) }

// Receipt returns a receipt; nil when there is none.
//
// The receipt is a copy. The error wraps [ErrCorrupt] for a row that is too short to hold a time.
func (v *View) Receipt(key ReceiptKey) (*Receipt, error) {
	b, err := v.r.Get(Receipts, key)
	if b == nil || err != nil {
		return nil, err
	}
	return DecodeReceipt(b)
}

// DecodeReceipt decodes the result of [Receipt.Encode].
func DecodeReceipt(b []byte) (*Receipt, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("receipt of %d bytes: %w", len(b), ErrCorrupt)
	}
	digest, result, _ := bytes.Cut(b[8:], []byte{0})
	return &Receipt{Digest: string(digest), Result: bytes.Clone(result), At: decodeTime(b)}, nil
}

// PutReceipt writes a receipt. The digest has no zero byte.
//
// It replaces a receipt under the same key. Package mailbox does this when it learns the outcome of a call later, as
// for a claim.
func (t *Tx) PutReceipt(key ReceiptKey, r Receipt) error {
	return t.w.Put(Receipts, key, r.Encode())
}

// Encode writes the row of a receipt.
func (r Receipt) Encode() []byte {
	return joinBytes(EncodeNumber(r.At), zeroTerminated(r.Digest), r.Result)
}

// DeleteReceipt deletes a receipt: a repeat of that call takes effect again.
func (t *Tx) DeleteReceipt(key ReceiptKey) error { return t.w.Delete(Receipts, key) }

// DeleteOldReceipts deletes at most limit receipts of request ids from before the given time, in the order of their ids.
// It stops at the first younger receipt, so it never deletes a younger one and costs one seek. Request ids must begin
// with their time in a fixed width: an id without a time may protect the receipts behind it from deletion until it is
// old itself.
//
// Each call that writes a receipt deletes a few old ones, so no timer is needed and the space stays as large as a day
// of calls. A store without calls keeps its receipts. Deleting a missing receipt is no error.
func (t *Tx) DeleteOldReceipts(before time.Time, limit int) error {
	for row, err := range t.w.Scan(Prefix(Receipts, []byte("r"))) {
		if err != nil {
			return err
		}
		if limit <= 0 || decodeTime(row.Value) >= TimeOf(before) {
			return nil
		}
		if err := t.w.Delete(Receipts, row.Key); err != nil {
			return err
		}
		limit--
	}
	return nil
}

// DeleteReceiptsWhere deletes the receipts of request ids whose result matches gone. It reads all receipts of request
// ids, which are the receipts of one day.
func (t *Tx) DeleteReceiptsWhere(gone func(result []byte) bool) error {
	return t.deleteRowsWhere(Prefix(Receipts, []byte("r")), gone)
}

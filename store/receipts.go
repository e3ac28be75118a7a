package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"handoff/schemas"
)

// Receipt is the stored result of a call, so that a repeated call takes effect once and gets the same result. A receipt
// is found by an idempotency key or by a request id, see [KeyReceiptKey] and [RequestReceiptKey].
//
// The receipt is written in the transaction in which the call takes effect. So a retry is safe even if the process
// died: the repeated call finds the receipt, or takes effect for the first time. The row is the time in 8 bytes, the
// digest, a zero byte, and the result as JSON.
type Receipt struct {
	Digest string // of the arguments: the same key with other arguments is a conflict
	Result json.RawMessage
	At     Time // of the first call
}

// ReceiptKey is the key of a receipt. [KeyReceiptKey] and [RequestReceiptKey] make one.
type ReceiptKey []byte

// KeyReceiptKey returns the key of the receipt for a sender's idempotency key, which may have any characters. The store
// keeps this receipt for ever. Two senders may use the same idempotency key.
func KeyReceiptKey(from schemas.Agent, key string) ReceiptKey {
	return joinBytes([]byte("k"), zeroTerminated(from), []byte(key))
}

// RequestReceiptKey returns the key of the receipt for a request id. Request ids begin with their time, so old receipts
// are next to each other. [Tx.DeleteOldReceipts] deletes them, and callers keep them for a day. After that, a repeated
// call takes effect again. No client retries for so long.
func RequestReceiptKey(id string) ReceiptKey { return joinBytes([]byte("r"), []byte(id)) }

// Receipt returns a copy of a receipt, nil if there is none. The error wraps [ErrCorrupt] for a row that is too short
// to hold a time.
func (v *View) Receipt(key ReceiptKey) (*Receipt, error) {
	return getRow(v, Receipts, key, DecodeReceipt)
}

// DecodeReceipt decodes the result of [Receipt.Encode].
func DecodeReceipt(b []byte) (*Receipt, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("receipt of %d bytes: %w", len(b), ErrCorrupt)
	}
	digest, result, _ := bytes.Cut(b[8:], []byte{0})
	return &Receipt{Digest: string(digest), Result: bytes.Clone(result), At: decodeTime(b)}, nil
}

// PutReceipt writes a receipt, and replaces a receipt under the same key. The digest must not contain a zero byte.
func (t *Tx) PutReceipt(key ReceiptKey, r Receipt) error {
	return t.w.Put(Receipts, key, r.Encode())
}

// Encode writes the row of a receipt.
func (r Receipt) Encode() []byte {
	return joinBytes(EncodeNumber(r.At), zeroTerminated(r.Digest), r.Result)
}

// DeleteReceipt deletes a receipt. After that, a repeat of the call takes effect again.
func (t *RowTx) DeleteReceipt(key ReceiptKey) error { return t.w.Delete(Receipts, key) }

// DeleteOldReceipts deletes the receipts of request ids that are older than the given time, at most `limit` of them, in
// the order of their ids. It stops behind the eighth younger receipt, so it costs one seek. Request ids must begin with
// their time in a fixed width. An id without a time, or of a wait that lasted longer than a receipt, may delay the
// deletion of the receipts behind it.
//
// Each call that writes a receipt deletes a few old ones, so no timer is needed.
func (t *Tx) DeleteOldReceipts(before time.Time, limit int) error {
	younger := 0
	for row, err := range t.w.Scan(Prefix(Receipts, []byte("r"))) {
		switch {
		case err != nil:
			return err
		case limit <= 0 || younger == 8:
			return nil
		case decodeTime(row.Value) >= TimeOf(before):
			younger++
			continue
		}
		if err := t.w.Delete(Receipts, row.Key); err != nil {
			return err
		}
		limit--
	}
	return nil
}

// DeleteReceiptsWhere deletes the receipts of request ids for whose result the function gone returns true. It reads all
// receipts of request ids, which are the receipts of one day.
func (t *RowTx) DeleteReceiptsWhere(gone func(result []byte) bool) error {
	return t.deleteRowsWhere(Prefix(Receipts, []byte("r")), gone)
}

// Package ledger makes the log of events tamper-evident. All events are the leaves of one Merkle tree, in the order of
// their numbers. The tree has the form of the Go checksum database, with the hashes of RFC 6962.
//
// For event n, counted from 0, the store keeps one row with the hashes that the event completed: the hash of its leaf,
// and of each inner node whose last leaf it is, lowest level first, 32 bytes each. A row never changes.
//
// Each event also contains the hash of the previous event of its handoff, so one handoff can be verified alone. It also
// contains the digest of the record, so a changed record is found. A missing event is found with the tree.
package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// TreeRows returns the row of the tree for event n, counted from 0. Functions that take a TreeRows return its error.
type TreeRows func(n int64) ([]byte, error)

// ComputeRow computes the row of the tree for event n, counted from 0, from the bytes of the event and the rows before.
// It reads about log2(n) rows. It fails if one of these rows is missing or too short.
func ComputeRow(n int64, event []byte, rows TreeRows) ([]byte, error) {
	hashes, err := tlog.StoredHashes(n, event, rows)
	if err != nil {
		return nil, fmt.Errorf("tree row of event %d: %w", n+1, err)
	}
	row := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, h := range hashes {
		row = append(row, h[:]...)
	}
	return row, nil
}

// ReadHashes implements [tlog.HashReader].
func (rows TreeRows) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		level, n := tlog.SplitStoredHashIndex(x)
		row, err := rows((n+1)<<level - 1) // the event that completed this node
		if err != nil {
			return nil, err
		}
		if len(row) < (level+1)*tlog.HashSize {
			return nil, fmt.Errorf("event %d has no hash of level %d", (n+1)<<level, level)
		}
		copy(hashes[i][:], row[level*tlog.HashSize:])
	}
	return hashes, nil
}

// ErrMismatch means that an event or a row was changed after it was written.
var ErrMismatch = errors.New("the bytes do not match the tree")

// Root returns the hash of the tree over the first size events, in base64. It returns "" if size is zero.
func (rows TreeRows) Root(size int64) (string, error) {
	if size == 0 {
		return "", nil
	}
	h, err := tlog.TreeHash(size, rows)
	return h.String(), err
}

// LeafHash returns the hash of a single event, in base64: the hash of a leaf in RFC 6962.
func LeafHash(event []byte) string { return tlog.RecordHash(event).String() }

// TreeWalk computes the tree anew in one pass over all events. The zero value is ready for event 0.
type TreeWalk struct {
	n    int64
	open []tlog.Hash // roots of the complete subtrees so far, largest first
	row  []byte      // of the event that was added last
}

// AddAndCompare adds the next event and compares its row with the given row. The error is [ErrMismatch] if the rows
// differ. The walk may continue after an error, and ignores the wrong row.
func (w *TreeWalk) AddAndCompare(event, row []byte) error {
	if !bytes.Equal(w.Add(event), row) {
		return ErrMismatch
	}
	return nil
}

// Add adds the next event and returns its row, as [ComputeRow] does. The row is valid until the next call.
func (w *TreeWalk) Add(event []byte) (row []byte) {
	h := tlog.RecordHash(event)
	w.row = append(w.row[:0], h[:]...)
	for range bits.TrailingZeros64(uint64(w.n + 1)) { //nolint:gosec // n counts from 0
		h = tlog.NodeHash(w.open[len(w.open)-1], h)
		w.open = w.open[:len(w.open)-1]
		w.row = append(w.row, h[:]...)
	}
	w.open = append(w.open, h)
	w.n++
	return w.row
}

// Root returns the hash of the tree over the events so far, in base64. It returns "" before the first event.
func (w *TreeWalk) Root() string {
	if len(w.open) == 0 {
		return ""
	}
	h := w.open[len(w.open)-1]
	for i := len(w.open) - 2; i >= 0; i-- {
		h = tlog.NodeHash(w.open[i], h)
	}
	return h.String()
}

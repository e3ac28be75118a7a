package ledger

import (
	"encoding/base64"
	"errors"

	"golang.org/x/mod/sumdb/tlog"
)

// Leaf is the hash of an event alone, in base64: that of a leaf in RFC 6962.
func Leaf(event []byte) string { return tlog.RecordHash(event).String() }

// Root is the root of the tree over the first n events, in base64, and "" for none. It reads about log2(n) rows.
func Root(n int64, rows Rows) (string, error) {
	if n == 0 {
		return "", nil
	}
	h, err := tlog.TreeHash(n, rows)
	return h.String(), err
}

// Prove gives the hashes that lead from event n, counted from 0, to the root of the tree over the first size events: the
// audit path of RFC 6962, in base64.
func Prove(size, n int64, rows Rows) ([]string, error) {
	proof, err := tlog.ProveRecord(size, n, rows)
	out := make([]string, len(proof))
	for i, h := range proof {
		out[i] = h.String()
	}
	return out, err
}

// CheckProof tells whether a proof leads from the bytes of event n to a root. The error is [ErrMismatch] when it does not.
func CheckProof(proof []string, size, n int64, root string, event []byte) error {
	want, err := hashOf(root)
	path := make(tlog.RecordProof, len(proof))
	for i, p := range proof {
		h, broken := hashOf(p)
		path[i], err = h, errors.Join(err, broken)
	}
	if err != nil || n < 0 || n >= size || tlog.CheckRecord(path, size, want, n, tlog.RecordHash(event)) != nil {
		return ErrMismatch
	}
	return nil
}

func hashOf(s string) (h tlog.Hash, err error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, ErrMismatch
	}
	copy(h[:], b)
	return h, nil
}

package ledger

import (
	"encoding/base64"
	"errors"

	"golang.org/x/mod/sumdb/tlog"
)

// Leaf is the hash of an event alone, in base64: that of a leaf in RFC 6962.
func Leaf(event []byte) string { return tlog.RecordHash(event).String() }

// CheckProof tells whether a proof leads from the bytes of event n to a root. The error is [ErrMismatch] when it does
// not.
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

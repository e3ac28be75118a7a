package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"handoff/schemas"
)

// digestKind begins the digests under which content is kept.
const digestKind = "sha256:"

// DigestOf is the digest under which content is kept: sha256 and 64 hexadecimal digits.
func DigestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return digestKind + hex.EncodeToString(sum[:])
}

// PutReference writes content that handoffs refer to under its digest, [DigestOf]. What is there already is not written again,
// so content that many handoffs refer to is kept once. It has no owner, and only [Tx.DeleteReference] deletes it. The error is
// [schemas.Limit] for content that is too large for its rows.
func (t *Tx) PutReference(content []byte) error {
	if err := schemas.TooBig("content", len(content), maxSaid); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	if first, err := t.w.Get(References, join(sum[:], []byte{0, 0})); first != nil || err != nil {
		return err
	}
	return t.putChunks(References, sum[:], content)
}

// DeleteReference deletes the content that has a digest, also for other handoffs that refer to it. It is no error where none is
// kept.
func (t *Tx) DeleteReference(digest string) error {
	sum := decodeDigest(digest)
	if sum == nil {
		return nil
	}
	return t.deleteWhere(Prefix(References, sum), always)
}

// Reference returns the content that has a digest, nil where none is kept or the digest is none. The error wraps [ErrCorrupt]
// for content that was changed since.
func (v *View) Reference(digest string) ([]byte, error) {
	sum := decodeDigest(digest)
	if sum == nil {
		return nil, nil
	}
	content, err := v.chunks(References, sum, bytes.NewBuffer([]byte{}))
	if err == nil && content != nil && DigestOf(content) != digest {
		err = fmt.Errorf("content %s: %w", digest, ErrCorrupt)
	}
	return content, err
}

// ReferenceDigests are the digests of all content that is kept.
func (v *View) ReferenceDigests() (map[string]bool, error) {
	digests := map[string]bool{}
	for digest, err := range distinctBeginnings(v, Range{Space: References}, firstSum, DigestIn) {
		if err != nil {
			return nil, err
		}
		digests[digest] = true
	}
	return digests, nil
}

// DigestIn is the digest of the content of which a row of [References] is a part, by the key of the row.
func DigestIn(key []byte) string { return digestKind + hex.EncodeToString(firstSum(key)) }

func firstSum(key []byte) []byte { return key[:min(sha256.Size, len(key))] }

// decodeDigest is the hash in a digest as [DigestOf] writes it, nil for anything else.
func decodeDigest(digest string) []byte {
	sum, err := hex.DecodeString(strings.TrimPrefix(digest, digestKind))
	if err != nil || len(sum) != sha256.Size || digestKind+hex.EncodeToString(sum) != digest {
		return nil
	}
	return sum
}

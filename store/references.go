package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"handoff/schemas"
)

// digestKind is the prefix of the digests of referenced content.
const digestKind = "sha256:"

// ReferenceDigest returns the digest under which content is kept: sha256 and 64 hexadecimal digits.
func ReferenceDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return digestKind + hex.EncodeToString(sum[:])
}

// PutReference writes content that handoffs refer to, under its [ReferenceDigest]. Many handoffs share one copy: if the
// content exists, nothing is written. Only [RowTx.DeleteReference] deletes it. The error is [schemas.Limit] for content
// of more than 131 MB.
func (t *RowTx) PutReference(content []byte) error {
	if err := schemas.CheckBytes("content", len(content), maxContent); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	if first, err := t.w.Get(References, joinBytes(sum[:], []byte{0, 0})); first != nil || err != nil {
		return err
	}
	return t.putChunks(References, sum[:], content)
}

// DeleteReference deletes the content of a digest for all handoffs that refer to it. Missing content is no error.
func (t *RowTx) DeleteReference(digest string) error {
	sum := decodeDigest(digest)
	if sum == nil {
		return nil
	}
	return t.deleteRowsWhere(Prefix(References, sum), matchAll)
}

// Reference returns the content with a digest. It returns nil if there is none or if the digest is malformed. The error
// wraps [ErrCorrupt] if the content does not have this digest.
func (v *View) Reference(digest string) ([]byte, error) {
	sum := decodeDigest(digest)
	if sum == nil {
		return nil, nil
	}
	content, err := v.joinChunks(References, sum, bytes.NewBuffer([]byte{}))
	if err == nil && content != nil && ReferenceDigest(content) != digest {
		err = fmt.Errorf("content %s: %w", digest, ErrCorrupt)
	}
	return content, err
}

// ReferenceDigests returns the digests of all content in [References].
func (v *View) ReferenceDigests() (map[string]bool, error) {
	digests := map[string]bool{}
	for digest, err := range distinctBeginnings(v, Range{Space: References}, firstDigest, DigestFromKey) {
		if err != nil {
			return nil, err
		}
		digests[digest] = true
	}
	return digests, nil
}

// DigestFromKey returns the digest in the key of a row of [References].
func DigestFromKey(key []byte) string { return digestKind + hex.EncodeToString(firstDigest(key)) }

func firstDigest(key []byte) []byte { return key[:min(sha256.Size, len(key))] }

// decodeDigest returns the SHA-256 in a digest of [ReferenceDigest], nil for any other text.
func decodeDigest(digest string) []byte {
	sum, err := hex.DecodeString(strings.TrimPrefix(digest, digestKind))
	if err != nil || len(sum) != sha256.Size || digestKind+hex.EncodeToString(sum) != digest {
		return nil
	}
	return sum
}

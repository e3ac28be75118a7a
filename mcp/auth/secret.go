package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"

	"handoff/schemas"
)

// A secret is the prefix, then at least 256 random bits as letters and digits, then a checksum of 8 hexadecimal digits over both.
const (
	prefix         = schemas.TokenPrefix
	checksumLength = 8
)

// NewSecret returns a new secret for a token. The prefix lets secret scanners find leaked secrets. With the checksum,
// [IsWellFormed] detects a typing error without a read of the store.
func NewSecret() string {
	body := prefix + rand.Text() + rand.Text() // 130 bits each
	return body + checksum(body)
}

// IsWellFormed reports whether s has the prefix and the checksum of a secret. It does not check whether the token
// exists.
func IsWellFormed(s string) bool {
	body := s[:max(0, len(s)-checksumLength)]
	return strings.HasPrefix(body, prefix) && s == body+checksum(body)
}

// HashSecret returns the SHA-256 of a secret in lower-case hexadecimal, as the store keeps it. It needs no salt,
// because nobody can guess 256 random bits.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// checksum returns the CRC-32 of s in hexadecimal. It finds every change of one or two neighbouring bytes.
func checksum(s string) string {
	return fmt.Sprintf("%0*x", checksumLength, crc32.ChecksumIEEE([]byte(s)))
}

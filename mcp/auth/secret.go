package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"io"
	"strings"

	"handoff/schemas"
)

// A secret is the prefix, then 43 random characters (256 bits), then a checksum of 6 characters over both.
const (
	prefix         = schemas.TokenPrefix
	randomLength   = 43
	checksumLength = 6

	digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret returns a new secret for a token. The prefix lets secret scanners find leaked secrets. With the checksum,
// [IsWellFormed] detects a typing error without a read of the store. NewSecret panics if rand fails, which crypto/rand
// never does.
func NewSecret(rand io.Reader) string {
	b := []byte(prefix)
	for len(b) < len(prefix)+randomLength {
		b = append(b, randomDigit(rand))
	}
	return string(b) + checksum(string(b))
}

// IsWellFormed reports whether s has the form of a secret and the right checksum. It does not check whether the token
// exists.
func IsWellFormed(s string) bool {
	if len(s) != len(prefix)+randomLength+checksumLength || !strings.HasPrefix(s, prefix) {
		return false
	}
	if strings.Trim(s[len(prefix):], digits) != "" {
		return false
	}
	body := s[:len(s)-checksumLength]
	return checksum(body) == s[len(body):]
}

// HashSecret returns the SHA-256 of a secret in lower-case hexadecimal, as the store keeps it. It needs no salt,
// because nobody can guess 256 random bits.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// randomDigit returns a random digit. It skips random bytes of 248 (the last multiple of 62 below 256) and above, so
// that all 62 digits are equally likely.
func randomDigit(rand io.Reader) byte {
	const fair = 256 / len(digits) * len(digits)
	for {
		var one [1]byte
		if _, err := io.ReadFull(rand, one[:]); err != nil {
			panic("no randomness: " + err.Error())
		}
		if n := int(one[0]); n < fair {
			return digits[n%len(digits)]
		}
	}
}

// checksum returns the CRC-32 of s in base 62. It finds every change of one or two neighbouring bytes.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var b [checksumLength]byte
	for i := range b {
		b[checksumLength-1-i] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}
	return string(b[:])
}

package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"io"
	"strings"

	"handoff/schemas"
)

// A secret is the prefix, 43 characters drawn at random, which are 256 bits, and 6 that check all before them.
const (
	prefix = schemas.TokenPrefix
	drawn  = 43
	check  = 6

	digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret draws the secret of a token. It looks like no other word, so that scanners for secrets find it where
// it does not belong, and a typing error in it shows without asking anybody. It panics when rand fails, which
// that of crypto/rand never does.
func NewSecret(rand io.Reader) string {
	b := []byte(prefix)
	for len(b) < len(prefix)+drawn {
		b = append(b, draw(rand))
	}
	return string(b) + checksum(string(b))
}

// WellFormed tells that s is spelt like a secret and its checksum is right. Whether anybody has it, the store knows.
func WellFormed(s string) bool {
	if len(s) != len(prefix)+drawn+check || !strings.HasPrefix(s, prefix) {
		return false
	}
	if strings.Trim(s[len(prefix):], digits) != "" {
		return false
	}
	body := s[:len(s)-check]
	return checksum(body) == s[len(body):]
}

// Hash is what is kept of a secret: its SHA-256 in hexadecimal. It needs no salt and no slow function, because
// nobody tries all of 256 random bits.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// draw gives one digit, each as likely as any other: bytes past the last multiple of 62 are drawn again.
func draw(rand io.Reader) byte {
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

// checksum is the CRC-32 of s in base 62. It differs for any two words that differ in one or two neighbours.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var b [check]byte
	for i := range b {
		b[check-1-i] = digits[sum%uint32(len(digits))]
		sum /= uint32(len(digits))
	}
	return string(b[:])
}

package auth_test

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// secretOf returns the same secret for the same seed.
func secretOf(seed byte) string {
	return auth.NewSecret(mathrand.NewChaCha8([32]byte{seed}))
}

func TestNewSecret_IsWellFormedAndUnique(t *testing.T) {
	for range 100 {
		s := auth.NewSecret(rand.Reader)
		require.Regexp(t, `^hoff_[0-9A-Za-z]{49}$`, s)
		require.True(t, auth.IsWellFormed(s), s)
		require.NotEqual(t, s, auth.NewSecret(rand.Reader))
	}
	require.Panics(t, func() { auth.NewSecret(iotest.ErrReader(iotest.ErrTimeout)) })
}

// The format must never change, because secrets that were issued must stay valid.
func TestNewSecret_KeepsFormat(t *testing.T) {
	const given = "hoff_iiw1H3lRmyFreIO9XhCkbxgqo75Bb7CZCUqsSo8GpED2bn0sW"
	require.Equal(t, given, secretOf(1))
	require.Equal(t, "8ee5f2982d25c3c6dec0b3e9a2e0e1b45314c1a9d6276d20db96a1f4a274f0aa", auth.HashSecret(given))
}

func TestNewSecret_UsesAllDigitsEquallyOften(t *testing.T) {
	const secrets = 4000
	source := mathrand.NewChaCha8([32]byte{7})
	var count [256]int
	for range secrets {
		for _, c := range []byte(auth.NewSecret(source)[5:48]) {
			count[c]++
		}
	}
	expected, chi := float64(secrets*43)/float64(len(alphabet)), 0.0
	for _, c := range []byte(alphabet) {
		d := float64(count[c]) - expected
		chi += d * d / expected
	}
	require.Less(t, chi, 100.0, "chi-squared of 61 degrees: once in a thousand above; a bias by modulo gives thousands")
}

func TestIsWellFormed_RefusesTypingErrors(t *testing.T) {
	for seed := range byte(4) {
		s := secretOf(seed)
		for i := range s {
			for _, c := range alphabet {
				if typed := s[:i] + string(c) + s[i+1:]; typed != s {
					require.False(t, auth.IsWellFormed(typed), typed)
				}
			}
			if i > 0 && s[i] != s[i-1] {
				swapped := s[:i-1] + s[i:i+1] + s[i-1:i] + s[i+1:]
				require.False(t, auth.IsWellFormed(swapped), swapped)
			}
			require.False(t, auth.IsWellFormed(s[:i]+s[i+1:]), "without character %d", i)
			require.False(t, auth.IsWellFormed(s[:i]+" "+s[i:]), "space at %d", i)
		}
		require.False(t, auth.IsWellFormed(s+"0"))
		require.False(t, auth.IsWellFormed(strings.ToUpper(s)))
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add(secretOf(1))
	f.Add("hoff_")
	f.Add(strings.Repeat("é", 27))
	f.Fuzz(func(t *testing.T, s string) {
		require.Len(t, auth.HashSecret(s), 64)
		if !auth.IsWellFormed(s) {
			return
		}
		require.Regexp(t, `^hoff_[0-9A-Za-z]{49}$`, s)
		require.False(t, auth.IsWellFormed(s[:53]+string(s[53]^1)), "two checksums of one body")
	})
}

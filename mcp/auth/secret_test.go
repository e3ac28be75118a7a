package auth_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp/auth"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var secrets sync.Map

// secretOf returns the same secret for the same number.
func secretOf(number byte) string {
	s, _ := secrets.LoadOrStore(number, auth.NewSecret())
	return s.(string)
}

func TestNewSecret_IsWellFormedAndUnique(t *testing.T) {
	for range 100 {
		s := auth.NewSecret()
		require.Regexp(t, `^hoff_[2-7A-Z]{52}[0-9a-f]{8}$`, s)
		require.True(t, auth.IsWellFormed(s), s)
		require.NotEqual(t, s, auth.NewSecret())
	}
}

// The format must never change, because secrets that were issued must stay valid.
func TestIsWellFormed_KeepsFormat(t *testing.T) {
	const given = "hoff_WDWZXQ3SUGBOGH5TU6NXJUDCSNKVZJ27IDBNMDQDS43ZUTRLHFPYc1a19477"
	require.True(t, auth.IsWellFormed(given))
	require.Equal(t, "f3cd200f8ad412c4dbddef8155e44dd535919161c027fb1c73a25f96fa9d66d3", auth.HashSecret(given))
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
		last := len(s) - 1
		require.True(t, strings.HasPrefix(s, "hoff_"))
		require.False(t, auth.IsWellFormed(s[:last]+string(s[last]^1)), "two checksums of one body")
	})
}

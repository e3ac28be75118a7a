package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store/bolt"
)

func openStore(t testing.TB, dir string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(dir, "handoff.db")})
	require.NoError(t, err)
	return s
}

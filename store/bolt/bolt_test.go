package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/bolt"
	"handoff/store/storetest"
)

func open(t testing.TB, dir string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), bolt.Config{Path: filepath.Join(dir, "handoff.db")})
	require.NoError(t, err)
	return s
}

func TestStoreMeetsTheContract(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Backend { return open(t, t.TempDir()) })
}

func TestReopenedStoreMeetsTheContract(t *testing.T) {
	storetest.Reopen(t, func(t testing.TB, dir string) store.Backend { return open(t, dir) })
}

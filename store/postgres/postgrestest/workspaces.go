package postgrestest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
)

// Workspaces starts a server for a test, and gives what opens a workspace that it keeps.
func Workspaces(t testing.TB) func(t testing.TB, name string) store.Backend {
	t.Helper()
	return Opener(t, Start(t), postgres.Config{})
}

// Opener gives what opens a workspace of the database at an address, until the end of a test. The rest is as configured.
func Opener(t testing.TB, address string, c postgres.Config) func(t testing.TB, name string) store.Backend {
	t.Helper()
	c.Pool = Pool(t, address)
	require.NoError(t, postgres.Prepare(t.Context(), c.Pool))
	return func(t testing.TB, name string) store.Backend {
		t.Helper()
		c := c
		c.Workspace = name
		b, err := postgres.Open(t.Context(), c)
		require.NoError(t, err)
		return b
	}
}

// Pool reaches a database until the end of a test.
func Pool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

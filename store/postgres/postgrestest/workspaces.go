package postgrestest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
)

// Workspaces starts a server for a test, and returns a function that opens a workspace in it.
func Workspaces(t testing.TB) func(t testing.TB, name string) store.Backend {
	t.Helper()
	return Opener(t, Start(t), postgres.Config{})
}

// Opener returns a function that opens a workspace of the database at an address, until the end of a test. The other
// settings are in c.
func Opener(t testing.TB, address string, c postgres.Config) func(t testing.TB, name string) store.Backend {
	t.Helper()
	pool := Pool(t, address)
	require.NoError(t, postgres.Prepare(t.Context(), pool))
	return func(t testing.TB, name string) store.Backend {
		t.Helper()
		b, err := Open(t.Context(), pool, name, c)
		require.NoError(t, err)
		return b
	}
}

// Open takes a workspace over from its current owner and opens it. The other settings are in c.
func Open(ctx context.Context, pool *pgxpool.Pool, name string, c postgres.Config) (*postgres.Store, error) {
	n := &postgres.Node{Pool: pool}
	before, err := n.Owner(ctx, name)
	if err != nil {
		return nil, err
	}
	if c.Ownership, err = n.TakeOver(ctx, name, "", before, true); err != nil {
		return nil, err
	}
	return postgres.Open(ctx, c)
}

// Pool connects to a database until the end of a test.
func Pool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

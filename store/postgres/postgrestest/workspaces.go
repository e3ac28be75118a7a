package postgrestest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
)

// NewWorkspaceOpener starts a server for a test, and returns a function that opens a workspace in it.
func NewWorkspaceOpener(t testing.TB) func(t testing.TB, name string) store.Backend {
	t.Helper()
	return WorkspaceOpener(t, StartServer(t), postgres.Config{})
}

// WorkspaceOpener returns a function that opens a workspace of the database at an address, until the end of a test. The
// other settings are in c.
func WorkspaceOpener(t testing.TB, address string, c postgres.Config) func(t testing.TB, name string) store.Backend {
	t.Helper()
	pool := ConnectPool(t, address)
	require.NoError(t, postgres.Prepare(t.Context(), pool))
	return func(t testing.TB, name string) store.Backend {
		t.Helper()
		b, err := TakeOverAndOpen(t.Context(), pool, name, c)
		require.NoError(t, err)
		return b
	}
}

// TakeOverAndOpen takes a workspace over from its current owner and opens it. The other settings are in c.
func TakeOverAndOpen(ctx context.Context, pool *pgxpool.Pool, name string, c postgres.Config) (*postgres.Store, error) {
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

// ConnectPool connects to a database until the end of a test.
func ConnectPool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Connect(t.Context(), address, func(*pgxpool.Config) {})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

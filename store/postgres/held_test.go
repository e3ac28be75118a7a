package postgres_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/store"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// startNode returns a node that renews its lease until the end of a test.
func startNode(t *testing.T, address string) *postgres.Node {
	t.Helper()
	n, err := postgres.JoinDatabase(t.Context(), address, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(n.Close)
	require.NoError(t, n.StartLease(t.Context()))
	return n
}

// takeOver tries to take the workspace over until the current owner's lease allows it, and opens it.
func takeOver(t *testing.T, n *postgres.Node) (*postgres.Store, *postgres.Ownership) {
	t.Helper()
	var own *postgres.Ownership
	require.Eventually(t, func() bool {
		before, err := n.Owner(t.Context(), "shop")
		if err == nil {
			own, err = n.TakeOver(t.Context(), "shop", "note of "+n.ID, before, false)
		}
		if !errors.Is(err, store.ErrLocked) {
			require.NoError(t, err)
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	s, err := postgres.Open(t.Context(), postgres.Config{Ownership: own})
	require.NoError(t, err)
	return s, own
}

// An owner is stopped after it has sent everything but its commit. It goes on after another has taken over: its commit
// is refused.
func TestTakeOver_FencesOwnerStoppedBeforeCommit(t *testing.T) {
	address := postgrestest.StartServer(t)
	line := newHeldConnection(t, address)
	first, lease := takeOver(t, startNode(t, line.Address))
	require.NoError(t, put(t, first, "a", "kept"))
	line.From("too late")
	committed := make(chan error, 1)
	go func() { committed <- put(t, first, "a", "too late") }()
	<-line.Held
	second, _ := takeOver(t, startNode(t, address))
	require.NoError(t, put(t, second, "b", "new"))
	line.Release()
	require.ErrorIs(t, <-committed, store.ErrFenced)
	require.ErrorIs(t, lease.CheckHeld(t.Context()), store.ErrFenced)
	require.ErrorIs(t, put(t, first, "a", "again"), store.ErrFenced)
	require.Equal(t, []string{"a=kept", "b=new"}, readAllRows(t, second))
	require.NoError(t, second.Close(), "which folds")
	_ = first.Close() // its error does not matter
}

// An owner is stopped in the middle of a transaction: its locks do not block the next owner.
func TestTakeOver_SucceedsWhileOwnerIsStoppedInTransaction(t *testing.T) {
	address := postgrestest.StartServer(t)
	line := newHeldConnection(t, address)
	first, _ := takeOver(t, startNode(t, line.Address))
	require.NoError(t, put(t, first, "a", "kept"))
	line.From("kept") // in the fold, at the end
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = first.Close() // its error does not matter
	}()
	<-line.Held
	second, lease := takeOver(t, startNode(t, address))
	require.NoError(t, put(t, second, "b", "new"))
	line.Release()
	<-closed
	require.Equal(t, []string{"a=kept", "b=new"}, readAllRows(t, second))
	require.NoError(t, second.Close())
	require.NoError(t, lease.Release(t.Context()))
	third, _ := takeOver(t, startNode(t, address))
	require.Equal(t, []string{"a=kept", "b=new"}, readAllRows(t, third))
	require.NoError(t, third.Close())
}

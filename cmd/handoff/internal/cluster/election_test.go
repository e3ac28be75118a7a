package cluster_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cluster"
	"handoff/store/postgres/postgrestest"
	"handoff/tools/relay"
)

// A node that has just taken a workspace over has no address yet. Another node of this machine waits for the
// address. If it took the workspace by force, the first node would read old rows for a while.
func TestElection_WaitsForOwnerThatStarts(t *testing.T) {
	address := postgrestest.StartServer(t)
	seat := func(advertise string) *cluster.Election {
		n, err := cluster.Join(t.Context(), cluster.Config{Store: address, Advertise: advertise, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(n.Close)
		return n.Election("shop")
	}
	first, second := seat("http://127.0.0.1:4261"), seat("http://127.0.0.1:4262")
	_, found := first.LastOwner(t.Context())
	require.False(t, found)
	_, err := first.TryToWin(t.Context())
	require.NoError(t, err)

	_, found = second.LastOwner(t.Context())
	require.False(t, found, "it does not answer yet")
	_, err = second.TryToWin(t.Context())
	require.ErrorIs(t, err, relay.ErrInUse)
}

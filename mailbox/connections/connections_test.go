package connections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestDetach_ShortensLeasesOfAllAgentsOnConnection(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	helper := b
	helper.Agent = "c"
	w.Sends(a, "b", "x")
	w.Sends(a, "c", "y")
	w.Claims(b)
	w.Claims(helper)
	require.ElementsMatch(t, []schemas.ID{1, 2}, w.Leaves(b).Holding)
	for _, id := range []schemas.ID{1, 2} {
		require.Equal(t, w.Now().Add(2*time.Minute), *w.FullView(id).Standing.LeaseEnds)
	}
	w.Pass(3 * time.Minute)
	require.Equal(t, schemas.Pending, w.Status(1))
	require.Equal(t, schemas.Pending, w.Status(2))
}

func TestDetach_LeavesGraceTimeToSilentHolder(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Pass(40 * time.Minute) // without a call, and with the connection open
	w.Leaves(b)
	w.Pass(time.Minute)
	require.Equal(t, schemas.Accepted, w.Status(1))
	w.Pass(2 * time.Minute)
	require.Equal(t, schemas.Pending, w.Status(1))
}

func TestDetach_LeavesClaimsOfOtherConnections(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	other := w.OtherSession(b, "other")
	w.Assigns(a, b, "x")
	require.Empty(t, w.Leaves(other).Holding)
	w.Pass(10 * time.Minute)
	require.Equal(t, schemas.Accepted, w.Status(1))
}

// A client that lists its servers starts each for a moment, as a new session.
func TestDetach_FreesNameOfUnusedConnection(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		w.OpensConnection("c1", "s1")
		for i := range 10 {
			conn := fmt.Sprintf("listing-%d", i)
			require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnection(conn, "of "+conn).Agent)
			mailboxtest.Must(t, w.Detach, schemas.Caller{Conn: conn}, schemas.ConnIn{Conn: conn, Unused: true})
		}
		require.Equal(t, schemas.Agent("claude-code-2"), w.OpensConnection("c2", "s2").Agent)
	})
}

package operation_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestServerRestart_KeepsClaimsForTwoMinutes(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Restart()
	other := w.OtherSession(b, "other")
	w.Pass(2 * time.Minute)
	require.True(t, w.Claims(other).Empty)
	mailboxtest.RequireRefusal(t, w.Claim, other, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "may still be there")
	w.Pass(time.Second)
	require.Equal(t, schemas.ID(1), w.Claims(other).HandoffID)
}

func TestServerRestart_ExtendsLeaseUntilConnectionReturns(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Pass(14 * time.Minute)
	w.Restart()
	other := w.OtherSession(b, "other")
	w.Pass(90 * time.Second) // the lease ended, and its connection was not seen yet
	require.True(t, w.Claims(other).Empty)
	w.OtherSession(b, b.Conn)
	w.Pass(10 * time.Minute)
	require.True(t, w.Claims(other).Empty)
	w.Completes(b, 1)
}

// restartAlone starts the next process as the only process, so no other process can have the old connections.
func restartAlone(w *mailboxtest.World) {
	w.Restart(func(c *mailbox.Config) { c.Alone = true })
}

func TestClaim_ReclaimsAtOnceIfOldConnectionCannotReturn(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	restartAlone(w)
	other := w.OtherSession(b, "other")
	require.Equal(t, 1, w.ClaimsID(other, 1).Attempt)
	_, err := w.Complete(context.Background(), w.OtherSession(b, b.Conn), schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "x"}})
	require.Error(t, err, "the old connection holds nothing any more")
	w.Completes(other, 1)
}

func TestServerRestart_KeepsClaimWithEndedLeaseForTwoMinutes(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Pass(14 * time.Minute)
	restartAlone(w)
	w.Pass(90 * time.Second)
	require.Equal(t, schemas.Accepted, w.Status(1))
	w.Pass(2*time.Minute + time.Second)
	require.Equal(t, schemas.Pending, w.Status(1))
}

func TestAttach_ReusesNameOfKilledSession(t *testing.T) {
	w := mailboxtest.New(t)
	open := func(conn, session string) schemas.Agent {
		out := mailboxtest.Must(t, w.Attach, schemas.Caller{AgentID: session, Via: schemas.ViaStdio}, schemas.ConnIn{Conn: conn, Client: "claude-code"})
		return out.Agent
	}
	require.EqualValues(t, "claude-code", open("1", "s1"))
	w.Restart()
	require.EqualValues(t, "claude-code-2", open("2", "s2"), "the first may be there")
	restartAlone(w)
	require.EqualValues(t, "claude-code", open("3", "s3"))
}

func TestServerRestart_KeepsClaimsOfReturningConnection(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Restart()
	w.OtherSession(b, b.Conn)
	other := w.OtherSession(b, "other")
	w.Pass(20 * time.Minute)
	require.True(t, w.Claims(other).Empty)
	w.Completes(b, 1)
}

func TestClaim_ReclaimsHandoffOfEndedSession(t *testing.T) {
	for name, between := range map[string]func(*mailboxtest.World){
		"in the same process": func(*mailboxtest.World) {},
		"in the next one":     func(w *mailboxtest.World) { w.Restart() },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
			w.Assigns(a, b, "x")
			require.Equal(t, []schemas.ID{1}, w.Leaves(b).Holding)
			between(w)
			again := w.Claims(w.OtherSession(b, "again"))
			require.Equal(t, schemas.ID(1), again.HandoffID)
			require.Equal(t, 1, again.Attempt)
		})
	}
}

func TestLease_EndsIfReadOnlyTokenOnlyReads(t *testing.T) {
	for scope, want := range map[schemas.Scope]schemas.Status{schemas.ScopeRead: schemas.Pending, schemas.ScopeAgent: schemas.Accepted} {
		w := mailboxtest.New(t)
		b := mailboxtest.RemoteCaller("b", "ci")
		b.Token, b.Names = "ci", []schemas.Agent{"b"}
		w.Assigns(w.Stdio("a"), b, "x")
		w.Pass(20 * time.Minute)
		b.Scope = scope
		mailboxtest.Must(t, w.Get, b, schemas.GetIn{HandoffID: "1"})
		w.Pass(20 * time.Minute)
		require.Equal(t, want, w.Status(1), scope)
	}
}

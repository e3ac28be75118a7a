package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
)

func TestAfterARestartClaimsLiveForTheGrace(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.Restart()
	other := w.elsewhere(b, "other")
	w.later(2 * time.Minute)
	require.True(t, w.claim(other).Empty)
	refuses(t, w.Claim, other, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "may still be there")
	w.later(time.Second)
	require.Equal(t, schemas.ID(1), w.claim(other).HandoffID)
}

func TestALeaseThatEndsRightAfterARestartIsGrantedTheGrace(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.later(14 * time.Minute)
	w.Restart()
	other := w.elsewhere(b, "other")
	w.later(90 * time.Second) // the lease ended, and its connection was not seen yet
	require.True(t, w.claim(other).Empty)
	w.elsewhere(b, b.Conn)
	w.later(10 * time.Minute)
	require.True(t, w.claim(other).Empty)
	w.complete(b, 1)
}

// alone is the next process where no other is left that could have the connections.
func (w *world) alone() {
	w.Restart(func(c *mailbox.Config) { c.Alone = true })
}

func TestAloneAClaimIsTakenUpAtOnce(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.alone()
	other := w.elsewhere(b, "other")
	require.Equal(t, 1, w.claimID(other, 1).Attempt)
	_, err := w.Complete(context.Background(), w.elsewhere(b, b.Conn), schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "x"}})
	require.Error(t, err, "the old connection holds nothing any more")
	w.complete(other, 1)
}

func TestAloneALeaseThatEndedIsStillGrantedTheGrace(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.later(14 * time.Minute)
	w.alone()
	w.later(90 * time.Second)
	require.Equal(t, schemas.Accepted, w.status(1))
	w.later(2*time.Minute + time.Second)
	require.Equal(t, schemas.Pending, w.status(1))
}

func TestAloneASessionHasTheNameOfOneThatWasKilled(t *testing.T) {
	w := newWorld(t)
	open := func(conn, session string) schemas.Agent {
		out := must(t, w.Attach, schemas.Caller{AgentID: session, Via: schemas.ViaStdio}, schemas.ConnIn{Conn: conn, Client: "claude-code"})
		return out.Agent
	}
	require.EqualValues(t, "claude-code", open("1", "s1"))
	w.Restart()
	require.EqualValues(t, "claude-code-2", open("2", "s2"), "the first may be there")
	w.alone()
	require.EqualValues(t, "claude-code", open("3", "s3"))
}

func TestAfterARestartAConnectionThatComesBackKeepsItsClaims(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.Restart()
	w.elsewhere(b, b.Conn)
	other := w.elsewhere(b, "other")
	w.later(20 * time.Minute)
	require.True(t, w.claim(other).Empty)
	w.complete(b, 1)
}

func TestAClaimOfASessionThatEndedIsTakenAgainAtOnce(t *testing.T) {
	for name, between := range map[string]func(*world){
		"in the same process": func(*world) {},
		"in the next one":     func(w *world) { w.Restart() },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.assign(a, b, "x")
			require.Equal(t, []schemas.ID{1}, w.detach(b).Holding)
			between(w)
			again := w.claim(w.elsewhere(b, "again"))
			require.Equal(t, schemas.ID(1), again.HandoffID)
			require.Equal(t, 1, again.Attempt)
		})
	}
}

func TestDetachCutsTheLeasesOfEveryNameOnTheConnection(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	helper := b
	helper.Agent = "c"
	w.send(a, "b", "x")
	w.send(a, "c", "y")
	w.claim(b)
	w.claim(helper)
	require.ElementsMatch(t, []schemas.ID{1, 2}, w.detach(b).Holding)
	for _, id := range []schemas.ID{1, 2} {
		require.Equal(t, w.Now().Add(2*time.Minute), *w.full(id).Standing.LeaseEnds)
	}
	w.later(3 * time.Minute)
	require.Equal(t, schemas.Pending, w.status(1))
	require.Equal(t, schemas.Pending, w.status(2))
}

func TestDetachGrantsTheGraceAfterALongSilence(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.later(40 * time.Minute) // nobody looked, and the connection was open
	w.detach(b)
	w.later(time.Minute)
	require.Equal(t, schemas.Accepted, w.status(1))
	w.later(2 * time.Minute)
	require.Equal(t, schemas.Pending, w.status(1))
}

func TestDetachLeavesClaimsOfOtherConnectionsAlone(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	other := w.elsewhere(b, "other")
	w.assign(a, b, "x")
	require.Empty(t, w.detach(other).Holding)
	w.later(10 * time.Minute)
	require.Equal(t, schemas.Accepted, w.status(1))
}

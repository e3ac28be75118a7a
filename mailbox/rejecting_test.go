package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func rejecting(id schemas.ID) schemas.FailIn {
	return schemas.FailIn{HandoffID: id.String(), FailureDetail: because("not me"), Outcome: schemas.OutcomeRejected}
}

// pool is one handoff for whoever reviews, which b and c do.
func pool(t testing.TB) (w *world, a, b, c schemas.Caller) {
	w = newWorld(t)
	a, b, c = w.stdio("a"), w.stdio("b"), w.stdio("c")
	w.accepts("review", b, c)
	w.send(a, "capability:review", "x")
	return w, a, b, c
}

// remotePool is a pool in which nobody is told first, and whose holders may be silent.
func remotePool(t testing.TB) (w *world, b, c schemas.Caller) {
	w, b, c = newWorld(t), remote("b", "1"), remote("c", "1")
	w.accepts("review", b, c)
	w.send(person, "capability:review", "x")
	return w, b, c
}

func TestARepeatedRejectionIsAnsweredAsTheFirstTime(t *testing.T) {
	for name, before := range map[string]func(w *world, b schemas.Caller){
		"from the mailbox": func(*world, schemas.Caller) {},
		"claimed":          func(w *world, b schemas.Caller) { w.claim(b) },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.send(a, "b", "x")
			before(w, b)
			first := w.fail(b, rejecting(1))
			require.Equal(t, schemas.Rejected, first.Status)
			again := w.fail(b, rejecting(1))
			require.Equal(t, first.FailureID, again.FailureID)
			require.Equal(t, schemas.Rejected, again.Status)
			require.Equal(t, []string{"rejected"}, w.kinds(a, 1))
			_, err := w.Fail(context.Background(), b, schemas.FailIn{HandoffID: "1", FailureDetail: because("other"), Outcome: schemas.OutcomeRejected})
			require.Error(t, err)
		})
	}
}

func TestARepeatedRejectionAfterAnotherHolderIsAnsweredAsTheFirst(t *testing.T) {
	w, a, c := newPair(t, "a", "c")
	w.send(a, "b", "x")
	w.claim(remote("b", "1"))
	w.later(time.Hour)
	w.update(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "c" })
	first := w.fail(c, rejecting(1))
	require.Equal(t, first.FailureID, w.fail(c, rejecting(1)).FailureID)
}

func TestADeclineIsAnsweredAlikeWhateverBecameOfIt(t *testing.T) {
	w, _, b, c := pool(t)
	require.Equal(t, schemas.Pending, w.fail(b, rejecting(1)).Status)
	require.Equal(t, schemas.Pending, w.fail(b, rejecting(1)).Status)
	w.claim(c)
	require.Equal(t, schemas.Accepted, w.fail(b, rejecting(1)).Status)
	w.complete(c, 1)
	require.Equal(t, schemas.Completed, w.fail(b, rejecting(1)).Status)
	require.Equal(t, []schemas.Agent{"b"}, w.full(1).Standing.Excluded)
}

func TestAHolderWhoDeclinesMayRepeatIt(t *testing.T) {
	w, _, b, c := pool(t)
	held := w.claim(b)
	in := rejecting(1)
	in.Token = held.Token
	require.Equal(t, schemas.Pending, w.fail(b, in).Status)
	require.Equal(t, schemas.Pending, w.fail(b, in).Status)
	require.Equal(t, schemas.ID(1), w.claim(c).HandoffID)
}

func TestRejectionByTheLastCandidateRejectsTheHandoff(t *testing.T) {
	w, a, b, c := pool(t)
	w.fail(b, rejecting(1))
	first := w.fail(c, rejecting(1))
	require.Equal(t, schemas.Rejected, first.Status)
	require.Equal(t, first.FailureID, w.fail(c, rejecting(1)).FailureID)
	require.Equal(t, []string{"rejected"}, w.kinds(a, 1))
}

func TestADeclineLeavesTheLapsedHolderItsToken(t *testing.T) {
	w, b, lapsed := remotePool(t)
	held := w.claim(lapsed)
	w.later(time.Hour)
	w.fail(b, rejecting(1))
	w.complete(lapsed, 1, func(in *schemas.CompleteIn) { in.Token = held.Token })
}

func TestADeclineLeavesTheNextClaimCharged(t *testing.T) {
	w, b, c := remotePool(t)
	w.claim(c)
	w.later(time.Hour)
	w.fail(b, rejecting(1))
	require.Equal(t, 2, w.claim(c).Attempt)
}

func TestWhoDeclinedMayBeGivenItAllTheSame(t *testing.T) {
	w, _, b, c := pool(t)
	w.fail(b, rejecting(1))
	require.True(t, w.claim(b).Empty)
	w.claim(c)
	w.update(c, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "b" })
	require.Equal(t, schemas.ID(1), w.claim(b).HandoffID)
}

func TestARejectionWithATokenIsTheHolders(t *testing.T) {
	w, s, b := newPair(t, "s", "b")
	a := b
	a.Agent = "a"
	for _, name := range []string{"a", "b", "o"} {
		must(t, w.Register, person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
	}
	w.send(s, "capability:k", "x")
	w.fail(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("no")})
	claim := w.claim(a)
	w.fail(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("not me"), Token: claim.Token})
	require.Equal(t, []schemas.Agent{"b", "a"}, w.full(1).Standing.Excluded)
}

func TestASilentAttemptStaysOneAlthoughItsHolderDeclinesLater(t *testing.T) {
	w, s := newWorldWith(t, "s")
	for _, name := range []string{"c", "d"} {
		must(t, w.Register, person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
	}
	c, d := schemas.Caller{Agent: "c", Via: schemas.ViaHTTP}, schemas.Caller{Agent: "d", Via: schemas.ViaHTTP}
	w.send(s, "capability:k", "x")
	claim := w.claim(c)
	w.later(2 * time.Hour)
	w.fail(c, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("no"), Token: claim.Token})
	require.Equal(t, 2, w.claim(d).Attempt)
}

package mailbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func rejectionOf(id schemas.ID) schemas.FailIn {
	return schemas.FailIn{HandoffID: id.String(), FailureDetail: because("not me"), Outcome: schemas.OutcomeRejected}
}

// newPoolWork has one handoff for the reviewers b and c.
func newPoolWork(t testing.TB) (w *world, a, b, c schemas.Caller) {
	w = newWorld(t)
	a, b, c = w.Stdio("a"), w.Stdio("b"), w.Stdio("c")
	w.Accepts("review", b, c)
	w.Sends(a, "capability:review", "x")
	return w, a, b, c
}

// newRemotePoolWork has one handoff for the reviewers b and c, which have no connections. So the handoff is not offered
// to one of them first.
func newRemotePoolWork(t testing.TB) (w *world, b, c schemas.Caller) {
	w, b, c = newWorld(t), remote("b", "1"), remote("c", "1")
	w.Accepts("review", b, c)
	w.Sends(person, "capability:review", "x")
	return w, b, c
}

func TestReject_RepeatReturnsFirstResult(t *testing.T) {
	for name, before := range map[string]func(w *world, b schemas.Caller){
		"from the mailbox": func(*world, schemas.Caller) {},
		"claimed":          func(w *world, b schemas.Caller) { w.Claims(b) },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.Sends(a, "b", "x")
			before(w, b)
			first := w.Fails(b, rejectionOf(1))
			require.Equal(t, schemas.Rejected, first.Status)
			again := w.Fails(b, rejectionOf(1))
			require.Equal(t, first.FailureID, again.FailureID)
			require.Equal(t, schemas.Rejected, again.Status)
			require.Equal(t, []string{"rejected"}, w.NoticeKinds(a, 1))
			_, err := w.Fail(context.Background(), b, schemas.FailIn{HandoffID: "1", FailureDetail: because("other"), Outcome: schemas.OutcomeRejected})
			require.Error(t, err)
		})
	}
}

func TestReject_RepeatReturnsFirstResultDespiteEarlierHolder(t *testing.T) {
	w, a, c := newPair(t, "a", "c")
	w.Sends(a, "b", "x")
	w.Claims(remote("b", "1"))
	w.Pass(time.Hour)
	w.Updates(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "c" })
	first := w.Fails(c, rejectionOf(1))
	require.Equal(t, first.FailureID, w.Fails(c, rejectionOf(1)).FailureID)
}

func TestDecline_RepeatShowsCurrentStatus(t *testing.T) {
	w, _, b, c := newPoolWork(t)
	require.Equal(t, schemas.Pending, w.Fails(b, rejectionOf(1)).Status)
	require.Equal(t, schemas.Pending, w.Fails(b, rejectionOf(1)).Status)
	w.Claims(c)
	require.Equal(t, schemas.Accepted, w.Fails(b, rejectionOf(1)).Status)
	w.Completes(c, 1)
	require.Equal(t, schemas.Completed, w.Fails(b, rejectionOf(1)).Status)
	require.Equal(t, []schemas.Agent{"b"}, w.FullView(1).Standing.Excluded)
}

func TestDecline_ByHolderCanBeRepeated(t *testing.T) {
	w, _, b, c := newPoolWork(t)
	held := w.Claims(b)
	in := rejectionOf(1)
	in.Token = held.Token
	require.Equal(t, schemas.Pending, w.Fails(b, in).Status)
	require.Equal(t, schemas.Pending, w.Fails(b, in).Status)
	require.Equal(t, schemas.ID(1), w.Claims(c).HandoffID)
}

func TestReject_ByLastQualifiedAgentEndsHandoff(t *testing.T) {
	w, a, b, c := newPoolWork(t)
	w.Fails(b, rejectionOf(1))
	first := w.Fails(c, rejectionOf(1))
	require.Equal(t, schemas.Rejected, first.Status)
	require.Equal(t, first.FailureID, w.Fails(c, rejectionOf(1)).FailureID)
	require.Equal(t, []string{"rejected"}, w.NoticeKinds(a, 1))
}

func TestDecline_ByOtherAgentKeepsTokenOfHolderWhoseLeaseEnded(t *testing.T) {
	w, b, lapsed := newRemotePoolWork(t)
	held := w.Claims(lapsed)
	w.Pass(time.Hour)
	w.Fails(b, rejectionOf(1))
	w.Completes(lapsed, 1, func(in *schemas.CompleteIn) { in.Token = held.Token })
}

func TestDecline_ByOtherAgentKeepsAttemptCounted(t *testing.T) {
	w, b, c := newRemotePoolWork(t)
	w.Claims(c)
	w.Pass(time.Hour)
	w.Fails(b, rejectionOf(1))
	require.Equal(t, 2, w.Claims(c).Attempt)
}

func TestRelease_MayNameAgentThatDeclined(t *testing.T) {
	w, _, b, c := newPoolWork(t)
	w.Fails(b, rejectionOf(1))
	require.True(t, w.Claims(b).Empty)
	w.Claims(c)
	w.Updates(c, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "b" })
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
}

func TestReject_WithTokenActsAsHolder(t *testing.T) {
	w, s, b := newPair(t, "s", "b")
	a := b
	a.Agent = "a"
	for _, name := range []string{"a", "b", "o"} {
		mailboxtest.Must(t, w.Register, person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
	}
	w.Sends(s, "capability:k", "x")
	w.Fails(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("no")})
	claim := w.Claims(a)
	w.Fails(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("not me"), Token: claim.Token})
	require.Equal(t, []schemas.Agent{"b", "a"}, w.FullView(1).Standing.Excluded)
}

func TestDecline_AfterLeaseEndKeepsAttemptCounted(t *testing.T) {
	w, s := newWorldWith(t, "s")
	for _, name := range []string{"c", "d"} {
		mailboxtest.Must(t, w.Register, person, schemas.RegisterIn{Name: name, Accepts: []string{"k"}})
	}
	c, d := schemas.Caller{Agent: "c", Via: schemas.ViaHTTP}, schemas.Caller{Agent: "d", Via: schemas.ViaHTTP}
	w.Sends(s, "capability:k", "x")
	claim := w.Claims(c)
	w.Pass(2 * time.Hour)
	w.Fails(c, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("no"), Token: claim.Token})
	require.Equal(t, 2, w.Claims(d).Attempt)
}

// rejectionNaming rejects a handoff and names an alternative.
func rejectionNaming(id schemas.ID, other string) schemas.FailIn {
	in := rejectionOf(id)
	in.Alternative = other
	return in
}

func TestReject_SendsWorkToNamedAlternative(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Accepts("code", c)
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Type = "code" })
	w.Sends(a, "c", "after it", mailboxtest.NoParent, mailboxtest.After("1"))
	out := w.Fails(b, rejectionNaming(1, "c"))
	require.Equal(t, schemas.Rejected, out.Status)
	require.Equal(t, schemas.Address("c"), out.To)
	require.Equal(t, out.RollbackHandoff, w.Fails(b, rejectionNaming(1, "c")).RollbackHandoff, "a repeat")
	require.Equal(t, []string{out.RollbackHandoff.String()}, w.FullView(2).Standing.BlockedBy)
	require.Equal(t, []string{"rejected"}, w.NoticeKinds(a, 1))
	require.Contains(t, w.Claims(c).Brief, "ho_1 rejected (b, 2026-01-11T20:30:00Z): not me")
	require.Equal(t, schemas.Agent("a"), w.FullView(out.RollbackHandoff).Handoff.Source.Agent)

	again := w.Fails(c, rejectionNaming(out.RollbackHandoff, "b"))
	require.Zero(t, again.RollbackHandoff, "b has rejected it")
	require.Equal(t, schemas.Rejected, w.Status(out.RollbackHandoff))
}

func TestDecline_NamedAlternativeCannotClaimBeforeDelayEnds(t *testing.T) {
	w, b, c := newPair(t, "b", "c")
	w.Accepts("review", b, c)
	w.Sends(person, "capability:review", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "1h"} })
	w.Fails(b, rejectionNaming(1, "c"))
	require.True(t, w.Claims(c).Empty)
	mailboxtest.RequireRefusal(t, w.Claim, c, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "may not be claimed before")
	w.Pass(time.Hour)
	require.Equal(t, schemas.ID(1), w.Claims(c).HandoffID)
}

func TestReject_WithThenStopIgnoresAlternative(t *testing.T) {
	w, a, b, _ := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "x")
	in := rejectionNaming(1, "c")
	in.Then = schemas.ThenRetry
	require.Equal(t, "then", mailboxtest.RequireRefusal(t, w.Fail, b, in, schemas.Invalid, "this is a rejection").Field)
	in.Then = schemas.ThenStop
	require.Zero(t, w.Fails(b, in).RollbackHandoff)
	require.Equal(t, schemas.Rejected, w.Status(1))
	w.RefusesUpdate(a, 1, schemas.ActAccept, schemas.Conflict, "There is no result to accept")
}

func TestDecline_WarnsIfNamedAlternativeIsNotInPool(t *testing.T) {
	w, _, b, _ := newPoolWork(t)
	w.Stdio("d")
	require.Contains(t, strings.Join(w.Fails(b, rejectionNaming(1, "d")).Warnings, " "), "d may not take it now")
}

func TestReject_IgnoresAlternativeThatMayNotTakeWork(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Accepts("docs", c)
	w.Stdio("gone")
	mailboxtest.Must(t, w.Register, w.Stdio("away"), schemas.RegisterIn{Name: "away", Away: true})
	for i, other := range []string{"a", "b", "c", "away", "nobody", "human"} {
		id := w.Sends(a, "b", other, func(in *schemas.SendIn) { in.Type, in.Parent = "code", "none" }).HandoffID
		require.Equal(t, schemas.ID(i+1), id)
		require.Zero(t, w.Fails(b, rejectionNaming(id, other)).RollbackHandoff, other)
		require.Equal(t, schemas.Rejected, w.Status(id))
	}
}

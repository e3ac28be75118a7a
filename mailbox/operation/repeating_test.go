package operation_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func withRequestID(by schemas.Caller, id string) schemas.Caller {
	by.Request = id
	return by
}

func TestSend_RepeatedRequestSendsOnce(t *testing.T) {
	w := mailboxtest.New(t)
	a := withRequestID(w.Stdio("a"), "0001")
	first := w.Sends(a, "b", "x")
	require.Equal(t, first.HandoffID, w.Sends(a, "b", "x").HandoffID)
	require.Equal(t, 1, w.CountPending("b"))
}

func TestClaim_RepeatedRequestGetsSameToken(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := w.Stdio("a"), withRequestID(w.Stdio("b"), "0001")
	w.Sends(a, "b", "x")
	first := w.Assigns(a, b, "y")
	again := w.Claims(b)
	require.Equal(t, first.HandoffID, again.HandoffID)
	require.Equal(t, first.Token, again.Token)
	require.Equal(t, schemas.Pending, w.Status(2))
}

func TestClaim_RepeatedRequestIsRefusedAfterClaimIsLost(t *testing.T) {
	w := mailboxtest.New(t)
	b := withRequestID(mailboxtest.RemoteCaller("b", "1"), "0001")
	w.Sends(w.Stdio("a"), "b", "x")
	w.Claims(b)
	w.Pass(time.Hour)
	w.Claims(mailboxtest.RemoteCaller("b", "2"))
	mailboxtest.RequireRefusal(t, w.Claim, b, schemas.ClaimIn{}, schemas.Stale, "ended")
	require.Equal(t, schemas.Accepted, w.Status(1))
}

func TestClaim_RepeatedRequestClaimsAfterEmptyResult(t *testing.T) {
	w := mailboxtest.New(t)
	a, b := w.Stdio("a"), withRequestID(w.Stdio("b"), "0001")
	require.True(t, w.Claims(b).Empty)
	w.Sends(a, "b", "x")
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
}

func TestComplete_RepeatedRequestCompletesOnce(t *testing.T) {
	for _, request := range []string{"0001", ""} {
		w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
		w.Assigns(a, b, "x")
		b.Request = request
		onward := func(in *schemas.CompleteIn) {
			in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "go on"}}
		}
		first, again := w.Completes(b, 1, onward), w.Completes(b, 1, onward)
		require.Equal(t, first.CompletionID, again.CompletionID)
		require.Equal(t, first.Forwarded.HandoffID, again.Forwarded.HandoffID)
		require.Equal(t, schemas.Address("c"), again.Forwarded.To)
		if request != "" {
			require.Equal(t, first, again, "with its warnings")
		}
		require.Equal(t, 1, w.CountPending("c"))
		require.Equal(t, []string{"completed"}, w.NoticeKinds(a, 1))
	}
}

func TestFail_RepeatedRequestFailsOnce(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	b.Request = "0001"
	in := schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d")}
	first := w.Fails(b, in)
	require.Equal(t, first, w.Fails(b, in))
	require.Equal(t, 1, w.CountPending("a"))
}

func TestAmend_RepeatedRequestAmendsOnce(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "x")
	a.Request = "0001"
	tag := func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Tags: []string{"go"}} }
	first := w.Updates(a, 1, schemas.ActAmend, tag)
	require.Equal(t, first, w.Updates(a, 1, schemas.ActAmend, tag))
	require.Equal(t, []string{"go"}, w.FullView(1).Handoff.Tags)
}

func TestRetry_RepeatedRequestMaySucceedAfterRefusal(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Sends(a, "b", "x")
	w.Claims(mailboxtest.RemoteCaller("b", "1"))
	ask := withRequestID(a, "0001")
	w.RefusesUpdate(ask, 1, schemas.ActRetry, schemas.Conflict, "accepted")
	w.Updates(a, 1, schemas.ActCancel)
	require.Equal(t, schemas.ID(2), w.Updates(ask, 1, schemas.ActRetry).Created)
	require.Equal(t, schemas.ID(2), w.Claims(b).HandoffID)
}

func TestComplete_RepeatedLateResultIsStoredOnce(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Updates(a, 1, schemas.ActCancel)
	for _, request := range []string{"0001", "0001", "0002", ""} {
		_, err := w.Complete(context.Background(), withRequestID(b, request), schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "same"}})
		mailboxtest.RequireError(t, err, schemas.Stale, "kept as a late result")
	}
	require.Len(t, w.FullView(1).Late, 1)
	require.Equal(t, []string{"late"}, w.NoticeKinds(a, 1))
	for n := 2; n <= 9; n++ {
		said := "kept as a late result"
		if n == 9 {
			said = "has 8 late results already"
		}
		other := schemas.Result{Summary: fmt.Sprint("another ", n)}
		mailboxtest.RequireRefusal(t, w.Complete, b, schemas.CompleteIn{HandoffID: "1", Result: other}, schemas.Stale, said)
	}
	require.Len(t, w.FullView(1).Late, 8)
}

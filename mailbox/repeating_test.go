package mailbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func asRequest(by schemas.Caller, id string) schemas.Caller {
	by.Request = id
	return by
}

func TestARepeatedSendTakesEffectOnce(t *testing.T) {
	w := newWorld(t)
	a := asRequest(w.stdio("a"), "0001")
	first := w.send(a, "b", "x")
	require.Equal(t, first.HandoffID, w.send(a, "b", "x").HandoffID)
	require.Equal(t, 1, w.pending("b"))
}

func TestARepeatedClaimIsAnsweredWithTheSameToken(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), asRequest(w.stdio("b"), "0001")
	w.send(a, "b", "x")
	first := w.assign(a, b, "y")
	again := w.claim(b)
	require.Equal(t, first.HandoffID, again.HandoffID)
	require.Equal(t, first.Token, again.Token)
	require.Equal(t, schemas.Pending, w.status(2))
}

func TestARepeatedClaimThatIsLostByNowSaysSo(t *testing.T) {
	w := newWorld(t)
	b := asRequest(remote("b", "1"), "0001")
	w.send(w.stdio("a"), "b", "x")
	w.claim(b)
	w.later(time.Hour)
	w.claim(remote("b", "2"))
	refuses(t, w.Claim, b, schemas.ClaimIn{}, schemas.Stale, "ended")
	require.Equal(t, schemas.Accepted, w.status(1))
}

func TestARepeatedClaimThatFoundNothingLooksAgain(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), asRequest(w.stdio("b"), "0001")
	require.True(t, w.claim(b).Empty)
	w.send(a, "b", "x")
	require.Equal(t, schemas.ID(1), w.claim(b).HandoffID)
}

func TestARepeatedCompletionTakesEffectOnce(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	b.Request = "0001"
	onward := func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "go on"}}
	}
	first := w.complete(b, 1, onward)
	require.Equal(t, first, w.complete(b, 1, onward))
	require.Equal(t, 1, w.pending("c"))
	require.Equal(t, []string{"completed"}, w.kinds(a, 1))
}

func TestARepeatedFailureTakesEffectOnce(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	b.Request = "0001"
	in := schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}
	first := w.fail(b, in)
	require.Equal(t, first, w.fail(b, in))
	require.Equal(t, 1, w.pending("a"))
}

func TestARepeatedUpdateTakesEffectOnce(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.send(a, "b", "x")
	a.Request = "0001"
	tag := func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Tags: []string{"go"}} }
	first := w.update(a, 1, schemas.ActAmend, tag)
	require.Equal(t, first, w.update(a, 1, schemas.ActAmend, tag))
	require.Equal(t, []string{"go"}, w.full(1).Handoff.Tags)
}

func TestACallThatWasRefusedMaySucceedWhenRepeated(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.send(a, "b", "x")
	w.claim(remote("b", "1"))
	ask := asRequest(a, "0001")
	w.refuses(ask, 1, schemas.ActRetry, schemas.Conflict, "accepted")
	w.update(a, 1, schemas.ActCancel)
	require.Equal(t, schemas.ID(2), w.update(ask, 1, schemas.ActRetry).Created)
	require.Equal(t, schemas.ID(2), w.claim(b).HandoffID)
}

func TestARepeatedLateResultIsRefusedAsTheFirstTime(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.update(a, 1, schemas.ActCancel)
	for _, request := range []string{"0001", "0001", "0002", ""} {
		_, err := w.Complete(context.Background(), asRequest(b, request), schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "same"}})
		refused(t, err, schemas.Stale, "kept as a late result")
	}
	require.Len(t, w.full(1).Late, 1)
	require.Equal(t, []string{"late"}, w.kinds(a, 1))
	for n := 2; n <= 9; n++ {
		said := "kept as a late result"
		if n == 9 {
			said = "has 8 late results already"
		}
		other := schemas.Result{Summary: fmt.Sprint("another ", n)}
		refuses(t, w.Complete, b, schemas.CompleteIn{HandoffID: "1", Result: other}, schemas.Stale, said)
	}
	require.Len(t, w.full(1).Late, 8)
}

func TestARepeatedCompletionNamesWhatItPassedOn(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	onward := func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "go on"}}
	}
	first, again := w.complete(b, 1, onward), w.complete(b, 1, onward)
	require.Equal(t, first.CompletionID, again.CompletionID)
	require.Equal(t, first.Forwarded.HandoffID, again.Forwarded.HandoffID)
	require.Equal(t, schemas.Address("c"), again.Forwarded.To)
}

func TestACompletionMayPassOnAMessage(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.assign(a, b, "x")
	tell := func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "for your information", Type: schemas.TypeMessage}}
	}
	first := w.complete(b, 1, tell)
	require.Zero(t, first.Forwarded.HandoffID)
	require.NotZero(t, first.Forwarded.NoticeID)
	again := w.complete(b, 1, tell)
	require.Equal(t, schemas.Address("c"), again.Forwarded.To)
	require.Equal(t, "delivered", again.Forwarded.Status)
	require.Equal(t, []string{"message"}, w.kinds(c, 1))
	require.True(t, w.claim(c).Empty)
}

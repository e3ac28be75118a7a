package mailbox_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

func callerWithPendingLimit(name schemas.Agent, most int) schemas.Caller {
	by := remote(name, "ci")
	by.Token, by.Names, by.MaxPending = "ci", []schemas.Agent{name}, most
	return by
}

func (w *world) countPendingOfToken(token string) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.Store.View(context.Background(), func(v *store.View) (err error) {
		n, err = v.PendingSentWithToken(token)
		return err
	}))
	return n
}

// requireTooManyPending checks that a send was refused because the token has too many pending handoffs.
func requireTooManyPending(t *testing.T, err error, are string) {
	t.Helper()
	e := refused(t, err, schemas.Limit, "Nothing was sent.")
	require.Regexp(t, "^token ci may have "+are+" sent handoffs? pending, and has "+are+"$", e.Message)
	require.Equal(t, 30, e.RetryAfter)
}

func TestPendingLimit_RefusesSendUntilClaim(t *testing.T) {
	w := newWorld(t)
	a, b := callerWithPendingLimit("a", 3), w.Stdio("b")
	w.Sends(a, "b", "one")
	w.Sends(a, "c", "two", mailboxtest.After("1"))
	w.Sends(a, "c", "three", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "1h"}; in.Key = "k" })
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "four"})
	requireTooManyPending(t, err, "3")
	_, err = w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "four", DryRun: true})
	requireTooManyPending(t, err, "3")

	require.Equal(t, schemas.ID(3), w.Sends(a, "c", "three", func(in *schemas.SendIn) {
		in.Options, in.Key = &schemas.SendOptions{NotBefore: "1h"}, "k"
	}).HandoffID, "a repeat is none more")
	w.Sends(a, "b", "a message is read, not pending", mailboxtest.Message)
	w.Sends(w.Stdio("a"), "b", "without a token")
	other := a
	other.Token = "other"
	w.Sends(other, "b", "with another")

	w.Claims(b)
	require.Equal(t, schemas.ID(6), w.Sends(a, "b", "four").HandoffID)
	_, err = w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "five"})
	requireTooManyPending(t, err, "3")
	w.Updates(a, 2, schemas.ActCancel)
	w.Sends(a, "b", "five")
	unlimited := a
	unlimited.MaxPending = 0
	w.Sends(unlimited, "b", "six")
	require.Equal(t, 4, w.countPendingOfToken("ci"))
}

// Handoffs that a caller makes in other ways count as well, and a refused call changes nothing.
func TestPendingLimit_CountsContinuationsRetriesAndReturns(t *testing.T) {
	w := newWorld(t)
	a, b := callerWithPendingLimit("a", 1), w.Stdio("b")
	w.Assigns(a, b, "one")
	w.Completes(b, 1)
	w.Assigns(a, b, "two")
	w.Fails(b, schemas.FailIn{HandoffID: "2", FailureDetail: because("broken"), Then: schemas.ThenStop})
	w.Sends(w.Stdio("c"), "a", "three")
	mine := mailboxtest.Must(t, w.Claim, a, schemas.ClaimIn{})
	w.Sends(a, "b", "the one that may be pending")
	require.Equal(t, 1, w.countPendingOfToken("ci"))

	e := mailboxtest.RequireRefusal(t, w.Complete, a, schemas.CompleteIn{
		HandoffID: "3", Token: mine.Token,
		Result: schemas.Result{
			Summary:      "done",
			Continuation: &schemas.Continuation{SendIn: schemas.SendIn{To: "b", Task: "go on"}},
		},
	}, schemas.Limit, "ho_3 was not completed either")
	require.Equal(t, "continuation", e.Field)
	require.Equal(t, 30, e.RetryAfter)
	require.Equal(t, schemas.Accepted, w.Status(3))
	_, err := w.TryUpdate(a, 2, schemas.ActRetry)
	requireTooManyPending(t, err, "1")
	_, err = w.TryUpdate(a, 1, schemas.ActReturn, note("more tests"))
	requireTooManyPending(t, err, "1")
	require.Equal(t, schemas.Completed, w.Status(1))

	w.Claims(b)
	require.Equal(t, schemas.ID(5), w.Updates(a, 2, schemas.ActRetry).Created)
	require.Equal(t, 1, w.countPendingOfToken("ci"))
	require.Equal(t, schemas.ID(5), w.Updates(a, 2, schemas.ActRetry).Created, "a repeat is none more")
	w.Claims(b)
	require.Equal(t, schemas.ID(6), w.Updates(a, 1, schemas.ActReturn, note("more tests")).Created)
	require.Equal(t, 1, w.countPendingOfToken("ci"))
}

// Handoffs that rules send after a failure do not count for the token of the failed agent, and the limit does not
// refuse them.
func TestPendingLimit_IgnoresWorkSentByRules(t *testing.T) {
	w := newWorld(t)
	a, b := w.Stdio("a"), callerWithPendingLimit("b", 1)
	w.Sends(a, "b", "one")
	w.Sends(a, "b", "two")
	for _, then := range []schemas.FailureContinuation{schemas.ThenRollback, schemas.ThenEscalate} {
		claim := mailboxtest.Must(t, w.Claim, b, schemas.ClaimIn{})
		w.Fails(b, schemas.FailIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, FailureDetail: because("broken"), Then: then})
	}
	require.Zero(t, w.countPendingOfToken("ci"))
}

// A retry counts as pending for the token of its sender.
func TestPendingLimit_CountsRetryForTokenOfFirstSender(t *testing.T) {
	w := newWorld(t)
	a, b := callerWithPendingLimit("a", 1), w.Stdio("b")
	w.Assigns(a, b, "one")
	require.Zero(t, w.countPendingOfToken("ci"))
	w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("broken"), Then: schemas.ThenRetry})
	require.Equal(t, 1, w.countPendingOfToken("ci"))
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "two"})
	requireTooManyPending(t, err, "1")
}

func TestPendingLimit_IsExactUnderConcurrency(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		const most = 7
		var sent, full atomic.Int64
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				_, err := w.Send(context.Background(), callerWithPendingLimit("a", most), schemas.SendIn{To: "b", Task: "x"})
				switch {
				case err == nil:
					sent.Add(1)
				case schemas.AsError(err).Code == schemas.Limit:
					full.Add(1)
				}
			})
		}
		all.Wait()
		require.Equal(t, []int64{most, 40 - most}, []int64{sent.Load(), full.Load()})
		require.Equal(t, most, w.countPendingOfToken("ci"))
	})
}

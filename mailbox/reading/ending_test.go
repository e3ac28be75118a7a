package reading_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// historyByID returns the history of a handoff's workflow, by id.
func historyByID(w *mailboxtest.World, id schemas.ID) map[schemas.ID]schemas.HistoryStep {
	w.T.Helper()
	out := mailboxtest.Must(w.T, w.History, mailboxtest.Human, schemas.HistoryIn{HandoffID: id.String(), Format: "rows"})
	rows := map[schemas.ID]schemas.HistoryStep{}
	for _, st := range out.Items {
		rows[st.HandoffID] = st
	}
	return rows
}

func TestStateReason_OfTimeoutIsNotLastReport(t *testing.T) {
	for name, c := range map[string]struct {
		options  schemas.SendOptions
		deadline string
		reason   string
	}{
		"attempts": {schemas.SendOptions{MaxAttempts: 1}, "", "its only attempt ended because its holder went silent: b"},
		"deadline": {schemas.SendOptions{}, "20m", "its deadline passed, 20 min after it was sent, and b held it last"},
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			a, b := w.Stdio("a"), mailboxtest.RemoteCaller("b", "1")
			claim := w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Options, in.Deadline = &c.options, c.deadline })
			w.Updates(b, 1, schemas.ActProgress, mailboxtest.WithNote("half"), func(in *schemas.UpdateIn) { in.Token = claim.Token })
			w.Pass(24 * time.Hour)
			require.Equal(t, schemas.TimedOut, w.Status(1))
			require.Equal(t, c.reason, historyByID(w, 1)[1].Reason)
		})
	}
}

func TestStateReason_IsEmptyForCancelWithoutNote(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Updates(b, 1, schemas.ActProgress, mailboxtest.WithNote("half"))
	w.Updates(a, 1, schemas.ActCancel)
	require.Empty(t, historyByID(w, 1)[1].Reason)
}

func TestHistory_OfRetryShowsNoRollback(t *testing.T) {
	w := mailboxtest.New(t, func(c *mailbox.Config) { c.Limits.Depth = 1 })
	a, b := w.Stdio("a"), w.Stdio("b")
	w.Assigns(a, b, "x")
	w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d")})
	w.Updates(a, 1, schemas.ActRetry)
	require.Empty(t, historyByID(w, 1)[1].RollbackTo)
}

func TestHistory_ShowsRollbackAfterItsRetry(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d")})
	w.Updates(a, 1, schemas.ActRetry)
	require.Equal(t, schemas.Address("a"), historyByID(w, 1)[1].RollbackTo)
}

// Lists and all views give the reason of a state in the same words.
func TestStateReason_IsSameInListAndViews(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*mailboxtest.World, schemas.Caller)
		reason  string
	}{
		"as usual":     {func(*mailboxtest.World, schemas.Caller) {}, ""},
		"disconnected": {func(w *mailboxtest.World, b schemas.Caller) { w.Leaves(b) }, "the connection of b ended"},
		"lease ended": {func(w *mailboxtest.World, b schemas.Caller) {
			w.Leaves(b)
			w.Pass(3 * time.Minute)
		}, "the lease of b ended, and b reported nothing"},
		"asked": {func(w *mailboxtest.World, b schemas.Caller) {
			w.Updates(b, 1, schemas.ActAsk, mailboxtest.WithQuestions("Which port?"))
		}, "b asked a: Which port?"},
		"given back": {func(w *mailboxtest.World, b schemas.Caller) { w.Updates(b, 1, schemas.ActRelease) }, "b gave it back"},
		"cancelled": {func(w *mailboxtest.World, _ schemas.Caller) {
			w.Updates(w.Stdio("a"), 1, schemas.ActCancel, mailboxtest.WithNote("not needed"))
		}, "not needed"},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
			w.Assigns(a, b, "x")
			c.happens(w, b)
			require.Equal(t, c.reason, newestListedReason(w))
			out := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: "1", View: "outcome"})
			if name == "asked" {
				require.Empty(t, out.Standing.Reason, "the questions stand beside it")
				return
			}
			require.Equal(t, c.reason, out.Standing.Reason)
		})
	}
}

// newestListedReason returns the reason of the newest handoff in the list of all.
func newestListedReason(w *mailboxtest.World) string {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.List, schemas.Caller{}, schemas.ListIn{Box: "all"}).Items[0].Reason
}

func TestStateReason_NamesCancelledDependency(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "x")
	w.Sends(a, "c", "y", mailboxtest.After("1"))
	require.Empty(t, newestListedReason(w))
	w.Updates(a, 1, schemas.ActCancel)
	require.Equal(t, "ho_1, for which it waits, was cancelled", newestListedReason(w))
}

func TestAccept_SendsSenderOneNoticeOfReview(t *testing.T) {
	w, lead, qa := mailboxtest.NewWithTwoAgents(t, "lead", "qa")
	w.Assigns(lead, qa, "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "sender"} })
	w.Completes(qa, 1)
	w.Updates(lead, 1, schemas.ActAccept)
	require.Len(t, w.Notices(lead), 2, "of the completion and of the review")
}

func TestBrief_NamesCallForLateResult(t *testing.T) {
	w, lead, qa := mailboxtest.NewWithTwoAgents(t, "lead", "qa")
	claim := w.Assigns(lead, qa, "x", func(in *schemas.SendIn) { in.Deadline = "30m" })
	w.Pass(31 * time.Minute)
	_, err := w.Complete(t.Context(), qa, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "late"}, Token: claim.Token})
	mailboxtest.RequireError(t, err, schemas.Stale, "kept as a late result")
	require.Contains(t, w.Claims(lead).Brief, `Its result came late. Read it first: get_handoff {"handoff_id":"ho_1","view":"outcome"}`)
}

package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

var retask = mailboxtest.WithChanges(schemas.Changes{Task: "something else"})

func TestAmend_AfterApprovalNeedsApprovalAgain(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "harmless", mailboxtest.NeedsApproval)
	w.Updates(person, 1, schemas.ActApprove)
	w.Updates(a, 1, schemas.ActAmend, retask)
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, []string{"approval", "approval"}, w.NoticeKinds(person, 1))
	w.Updates(person, 1, schemas.ActApprove)
	require.Contains(t, w.Claims(b).Brief, "something else")
}

func TestAmend_RefusesAgentIfApprovedWorkIsHeld(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "harmless", mailboxtest.NeedsApproval)
	w.Updates(person, 1, schemas.ActApprove)
	w.Claims(b)
	w.Updates(b, 1, schemas.ActAsk, note("how?"))
	w.RefusesUpdate(a, 1, schemas.ActAmend, schemas.Denied, "only human amends it", retask)
	require.Equal(t, "harmless", w.FullView(1).Handoff.Task)
	w.Updates(person, 1, schemas.ActAmend, retask)
	w.Updates(a, 1, schemas.ActAnswer, note("so"))
	require.Contains(t, w.Claims(b).Brief, "something else")
}

func TestAmend_ByPersonKeepsApproval(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "harmless", mailboxtest.NeedsApproval)
	w.Updates(person, 1, schemas.ActApprove)
	w.Updates(person, 1, schemas.ActAmend, retask)
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
}

func TestAmend_ResultListsDependencies(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "one")
	w.Sends(a, "b", "two")
	w.Sends(a, "b", "last", mailboxtest.NoParent, mailboxtest.After("1"))
	after := func(ids ...string) schemas.UpdateOut {
		return w.Updates(a, 3, schemas.ActAmend, func(in *schemas.UpdateIn) {
			in.Changes = &schemas.Changes{Options: &schemas.SendOptions{After: append([]string{}, ids...)}}
		})
	}
	more := after("2")
	require.Equal(t, []string{"ho_1", "ho_2"}, more.BlockedBy)
	require.Contains(t, more.Warnings, "it keeps its earlier dependencies, too: a list that begins with none replaces them, after and after_accepted each its own")
	only := after("none", "2")
	require.Equal(t, []string{"ho_2"}, only.BlockedBy)
	require.Empty(t, only.Warnings)
	nothing := after()
	require.Equal(t, []string{}, nothing.BlockedBy)
	require.Equal(t, []string{"options.after"}, nothing.Changed)
	require.Empty(t, w.FullView(3).Standing.BlockedBy)
}

func TestAmend_WarnsOfAddedCriteria(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", withCriteria(false, "one"))
	amend := func(remove schemas.Removal, all ...string) []string {
		return w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{
			Remove: remove, Expectations: &schemas.Expectations{SuccessCriteria: all},
		})).Warnings
	}
	require.Contains(t, amend(nil, "two")[0], "all 2 success criteria count")
	require.Empty(t, amend(schemas.Removal{"success_criteria": {"1"}}, "three"))
	require.Equal(t, []string{"two", "three"}, w.FullView(1).Handoff.Expectations.SuccessCriteria)
}

func TestAmend_NeedsNoApprovalIfSendNeededNone(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "harmless")
	w.Updates(a, 1, schemas.ActAmend, retask)
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
}

func TestRetry_NeedsApprovalLikeFirstAttempt(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "risky", mailboxtest.NeedsApproval)
	w.Updates(person, 1, schemas.ActRefuse, note("no"))
	again := w.Updates(a, 1, schemas.ActRetry).Created
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, []string{"approval"}, w.FullView(again).Standing.BlockedBy)
	w.Updates(person, again, schemas.ActApprove)
	require.Equal(t, again, w.Claims(b).HandoffID)
}

func TestAmend_ReadsDeadlineAndNotBeforeAsTimesFromNow(t *testing.T) {
	w, a := newWorldWith(t, "a")
	require.Nil(t, w.Sends(a, "b", "x").Deadline)
	_, err := w.TryUpdate(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Deadline: "9999-12-31T23:59:59Z"}))
	require.Equal(t, "changes.deadline", refused(t, err, schemas.Invalid, "ten years").Field)

	w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Deadline: "2h"}))
	out := w.Sends(a, "b", "y", func(in *schemas.SendIn) {
		in.Deadline, in.Options = "2h", &schemas.SendOptions{NotBefore: "1h"}
	})
	rows := mailboxtest.Must(t, w.List, a, schemas.ListIn{Box: "sent"})
	require.Equal(t, []*time.Time{out.Deadline, out.Deadline}, []*time.Time{rows.Items[0].Deadline, rows.Items[1].Deadline})
	require.Equal(t, out.Deadline.Add(-time.Hour), *rows.Items[0].NotBefore)
	require.Equal(t, out.NotBefore, rows.Items[0].NotBefore)

	w.Updates(a, 2, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Deadline: "none", Options: &schemas.SendOptions{NotBefore: "now"}}))
	standing := w.FullView(2).Handoff.Metadata
	require.Nil(t, standing.Deadline)
	require.Nil(t, standing.NotBefore)
}

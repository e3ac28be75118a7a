package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestRetry_MakesDependentsWaitForNewHandoff(t *testing.T) {
	for name, retry := range map[string]func(w *world, a, b schemas.Caller) schemas.ID{
		"by its holder": func(w *world, _, b schemas.Caller) schemas.ID {
			w.Claims(b)
			return w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry}).RollbackHandoff
		},
		"by its sender": func(w *world, a, _ schemas.Caller) schemas.ID {
			w.Updates(a, 1, schemas.ActCancel)
			return w.Updates(a, 1, schemas.ActRetry).Created
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b, c := newTrio(t, "a", "b", "c")
			w.Sends(a, "b", "first")
			w.Sends(a, "c", "second", mailboxtest.NoParent, mailboxtest.After("1"))
			again := retry(w, a, b)
			require.Equal(t, []string{again.String()}, w.FullView(2).Standing.BlockedBy)
			w.PassBackoff()
			require.Equal(t, again, w.Claims(b).HandoffID)
			w.Completes(b, again)
			require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
		})
	}
}

func TestRollback_CompletedBySenderUnblocksDependents(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "first")
	w.Sends(a, "c", "second", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(b)
	back := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	require.Equal(t, []string{"ho_1"}, w.FullView(2).Standing.BlockedBy)
	require.Equal(t, back, w.Claims(a).HandoffID)
	w.Completes(a, back)
	require.Empty(t, w.FullView(2).Standing.BlockedBy)
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
}

func TestFail_WithRetryGoesToHumanIfNoAgentIsLeft(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Accepts("review", b)
	w.Sends(a, "capability:review", "x")
	w.Claims(b)
	in := schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry}
	first := w.Fails(b, in)
	require.Equal(t, schemas.ThenEscalate, first.Then)
	require.Equal(t, schemas.Address(schemas.Human), first.To)
	require.NotEmpty(t, first.Warnings)
	require.Equal(t, schemas.ThenEscalate, w.FullView(1).Failure.Then)

	again := w.Fails(b, in)
	require.Equal(t, first.Then, again.Then)
	require.Equal(t, first.To, again.To)
	require.Equal(t, first.RollbackHandoff, again.RollbackHandoff)
}

func TestFail_WithRetryGoesToHumanIfNoAttemptIsLeft(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{MaxAttempts: 1} })
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry})
	require.Equal(t, schemas.ThenEscalate, out.Then)
	require.Equal(t, schemas.Address(schemas.Human), out.To)
}

func TestFail_WithRetryInPoolExcludesFailedAgent(t *testing.T) {
	w, _, b, c := newPoolWork(t)
	w.Claims(b)
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry})
	require.Equal(t, schemas.ThenRetry, out.Then)
	require.Equal(t, "ho_2 may be claimed in 10s.", w.Claims(c).WaitingMail)
	w.PassBackoff()
	require.True(t, w.Claims(b).Empty)
	require.Equal(t, out.RollbackHandoff, w.Claims(c).HandoffID)
}

func withEstimate(in *schemas.SendIn) {
	in.Expectations = &schemas.Expectations{EstimatedDuration: "4h", Timeout: "10h"}
}

func TestRetry_KeepsEstimateAndTimeout(t *testing.T) {
	w := newWorld(t)
	b := remote("b", "1")
	w.Sends(w.Stdio("a"), "b", "x", withEstimate)
	first := w.Claims(b)
	require.Equal(t, w.Now().Add(8*time.Hour), *first.LeaseEnds)
	w.Pass(time.Hour)
	w.Fails(b, schemas.FailIn{HandoffID: "1", Token: first.Token, FailureDetail: because("d"), Then: schemas.ThenRetry})
	deadline := w.Now().Add(9 * time.Hour)
	w.PassBackoff()
	require.Equal(t, w.Now().Add(8*time.Hour), *w.Claims(b).LeaseEnds)
	require.Equal(t, deadline, *w.FullView(2).Handoff.Metadata.Deadline)
}

func TestReturn_KeepsEstimateAndTimeout(t *testing.T) {
	w := newWorld(t)
	a, b := w.Stdio("a"), remote("b", "1")
	first := w.Assigns(a, b, "x", withEstimate)
	w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Token = first.Token })
	w.Pass(20 * time.Hour)
	w.Updates(a, 1, schemas.ActReturn, note("again"))
	require.Equal(t, w.Now().Add(8*time.Hour), *w.Claims(b).LeaseEnds)
	require.Equal(t, w.Now().Add(10*time.Hour), *w.FullView(2).Handoff.Metadata.Deadline)
}

// workSentByRules lets fixer claim a rollback that the clock sent after a deadline. The agent a owns its workflow.
func workSentByRules(t testing.TB) (w *world, a, fixer schemas.Caller, id schemas.ID) {
	w = newWorld(t)
	a, fixer = w.Stdio("a"), w.Stdio("fixer")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) {
		in.Deadline, in.Rollback = "10m", &schemas.Rollback{OnFailure: "fixer"}
	})
	w.Pass(time.Hour)
	got := w.Claims(fixer)
	require.Equal(t, schemas.System, got.From)
	return w, a, fixer, got.HandoffID
}

func TestOwner_GetsNoticesAboutWorkSentByRules(t *testing.T) {
	for kind, do := range map[string]func(w *world, fixer schemas.Caller, id schemas.ID){
		"question":  func(w *world, f schemas.Caller, id schemas.ID) { w.Updates(f, id, schemas.ActAsk, note("which?")) },
		"completed": func(w *world, f schemas.Caller, id schemas.ID) { w.Completes(f, id) },
		"failed": func(w *world, f schemas.Caller, id schemas.ID) {
			w.Fails(f, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("d")})
		},
		"cancelled": func(w *world, _ schemas.Caller, id schemas.ID) { w.Updates(person, id, schemas.ActCancel) },
	} {
		t.Run(kind, func(t *testing.T) {
			w, a, fixer, id := workSentByRules(t)
			do(w, fixer, id)
			require.Equal(t, []string{kind}, w.NoticeKinds(a, id))
		})
	}
}

func TestOwner_AnswersQuestionsOfWorkSentByRules(t *testing.T) {
	w, a, fixer, id := workSentByRules(t)
	w.Updates(fixer, id, schemas.ActAsk, note("which?"))
	w.Updates(a, id, schemas.ActAnswer, note("this"))
	require.Contains(t, w.Claims(fixer).Brief, "this")
}

func TestRollback_CancelsUnclaimedPartsOfHolder(t *testing.T) {
	w, a, b, d := newTrio(t, "a", "b", "d")
	w.Assigns(a, b, "x")
	w.Sends(b, "c", "unclaimed part")
	w.Sends(b, "d", "claimed part")
	w.Sends(a, "c", "of another sender", func(in *schemas.SendIn) { in.Parent = "1" })
	w.Sends(a, "e", "waits for the part", mailboxtest.NoParent, mailboxtest.After("2"))
	w.Claims(d)
	w.Sends(b, "f", "begun part", func(in *schemas.SendIn) { in.Parent = "1" })
	begun := w.Stdio("f")
	w.Claims(begun)
	w.Updates(begun, 6, schemas.ActRelease)
	back := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff

	require.Contains(t, w.FullView(back).Handoff.Context.KnownIssues,
		"d is at work on ho_3 (claimed part), a part of ho_1: wait for it, or cancel it")
	require.Equal(t, schemas.Cancelled, w.Status(2))
	require.Equal(t, schemas.Accepted, w.Status(3))
	require.Equal(t, schemas.Pending, w.Status(4))
	require.Equal(t, schemas.Pending, w.Status(6))
	require.Equal(t, []string{"blocked"}, w.NoticeKinds(a, 5))
}

func TestDeadline_TellsHolderOfCancelledParts(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.Sends(b, "c", "a part")
	w.Pass(time.Hour)
	require.Equal(t, schemas.Cancelled, w.Status(2))
	require.Equal(t, []string{"cancelled"}, w.NoticeKinds(b, 2))
}

func TestFail_RepeatReturnsSameNextStep(t *testing.T) {
	for _, c := range []struct {
		then, became schemas.FailureContinuation
		to           schemas.Address
	}{
		{"", schemas.ThenRollback, "a"},
		{schemas.ThenRollback, schemas.ThenRollback, "a"},
		{schemas.ThenRetry, schemas.ThenRetry, "b"},
		{schemas.ThenEscalate, schemas.ThenEscalate, "human"},
		{schemas.ThenStop, schemas.ThenStop, ""},
	} {
		t.Run(string("then "+c.then), func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.Assigns(a, b, "x")
			in := schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: c.then}
			first, again := w.Fails(b, in), w.Fails(b, in)
			require.Equal(t, c.became, first.Then)
			require.Equal(t, c.to, first.To)
			again.Warnings = nil
			require.Equal(t, first, again)
		})
	}
}

func TestFail_WithRetrySendsNoBlockedNotice(t *testing.T) {
	w, s, c := newPair(t, "s", "c")
	w.Sends(s, "c", "x")
	w.Sends(s, "d", "y", mailboxtest.After("1"))
	w.Claims(c)
	w.Fails(c, schemas.FailIn{HandoffID: "1", FailureDetail: because("no"), Then: schemas.ThenRetry})
	require.NotContains(t, w.NoticeKinds(s, 2), "blocked")
	require.Equal(t, []string{"ho_3"}, w.FullView(2).Standing.BlockedBy)
}

// A retry makes open rollbacks and decisions of all earlier attempts unnecessary.
func TestRetry_CompletionCancelsPendingRollbackAndEscalation(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	rolled := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.Updates(a, 1, schemas.ActRetry).Created
	w.Claims(b)
	decide := w.Fails(b, schemas.FailIn{HandoffID: again.String(), FailureDetail: because("d"), Then: schemas.ThenEscalate}).RollbackHandoff
	claimed := w.Sends(a, "c", "z", func(in *schemas.SendIn) { in.Parent = "1" }).HandoffID // sent by an agent, not by a rule
	third := w.Updates(a, again, schemas.ActRetry).Created
	w.Claims(b)
	w.Completes(b, third)
	for id, why := range map[schemas.ID]string{rolled: third.String() + " did what ", decide: "as " + third.String() + ", so nobody needs to decide"} {
		st := w.FullView(id).Standing
		require.Equal(t, schemas.Cancelled, st.Status, id)
		require.Contains(t, st.Reason, why)
	}
	require.Equal(t, schemas.Pending, w.Status(claimed))
}

func TestRetry_CompletionDoesNotCancelHeldRollback(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	rolled := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.Updates(a, 1, schemas.ActRetry).Created
	w.Claims(a)
	w.Claims(b)
	w.Completes(b, again)
	require.Equal(t, schemas.Accepted, w.Status(rolled))
}

func TestRetry_CompletionDoesNotCancelPartSentWithKindRollback(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	part := w.Sends(a, "c", "y", func(in *schemas.SendIn) { in.Parent, in.Options = "1", &schemas.SendOptions{Kind: "rollback"} })
	rolled := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.Updates(a, 1, schemas.ActRetry).Created
	w.Claims(b)
	w.Completes(b, again)
	require.Equal(t, schemas.Cancelled, w.Status(rolled))
	require.Equal(t, schemas.Pending, w.Status(part.HandoffID))
}

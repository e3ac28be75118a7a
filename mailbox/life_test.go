package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestSendClaimComplete_PassesWorkAndResult(t *testing.T) {
	w, architect, coder := newPair(t, "architect", "auto-code")

	sent := w.Sends(architect, "auto-code", "Implement the auth module")
	require.Equal(t, "ho_1", sent.HandoffID.String())
	require.Equal(t, "pending", sent.Status)
	require.Equal(t, 1, sent.Position)

	claim := w.Claims(coder)
	require.Equal(t, sent.HandoffID, claim.HandoffID)
	require.Equal(t, 1, claim.Attempt)
	require.Contains(t, claim.Brief, "Implement the auth module")
	require.Equal(t, w.Now().Add(15*time.Minute), *claim.LeaseEnds)
	require.Empty(t, claim.Holding, "nothing else")
	require.True(t, w.Claims(coder).Empty)

	done := w.Completes(coder, 1)
	require.Equal(t, schemas.Success, done.Outcome)
	require.Equal(t, schemas.Completed, w.Status(1))
	notices := w.Notices(architect)
	require.Len(t, notices, 1)
	require.Equal(t, "completed", notices[0].Kind)
	require.True(t, notices[0].Unread)
	require.False(t, w.Notices(architect)[0].Unread)
}

func TestComplete_SendsContinuation(t *testing.T) {
	w, architect, coder, qa := newTrio(t, "architect", "auto-code", "qa")
	w.Sends(architect, "auto-code", "Implement")
	w.Claims(coder)
	done := w.Completes(coder, 1, func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "qa", Task: "Test it"}, Reason: "integration tests"}
	})
	require.Equal(t, schemas.ID(2), done.Forwarded.HandoffID)
	require.Equal(t, schemas.ID(1), done.Forwarded.Parent)

	h := w.FullView(2).Handoff
	require.Equal(t, "done", h.Summary)
	require.Equal(t, "integration tests", h.Target.Reason)
	require.Equal(t, 2, h.Metadata.Depth)
	require.Equal(t, schemas.Workflow("wf_1"), h.Metadata.Workflow)
	require.Equal(t, schemas.ID(2), w.Claims(qa).HandoffID)
}

func TestComplete_InvalidContinuationChangesNothing(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{
		Summary: "s", Continuation: &schemas.Continuation{SendIn: schemas.SendIn{To: "capability:", Task: "y"}},
	}})
	require.Equal(t, "continuation.to", refused(t, err, schemas.Invalid, "").Field)
	require.Equal(t, schemas.Accepted, w.Status(1))
}

func TestLease_EndOffersHandoffAgain(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	first := w.Assigns(a, b, "x")
	mailboxtest.Must(t, w.Detach, b, schemas.ConnIn{Conn: b.Conn})
	w.Pass(90 * time.Second)
	require.Equal(t, schemas.Accepted, w.Status(1))
	w.Pass(time.Minute)
	require.Equal(t, schemas.Pending, w.Status(1))

	second := b
	second.Conn = "another"
	again := w.Claims(second)
	require.Equal(t, 2, again.Attempt)
	require.NotEqual(t, first.Token, again.Token)
}

func TestLease_OpenConnectionRenewsLeaseUntilLongestSilence(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	for range 40 {
		w.Pass(time.Minute)
		require.Equal(t, schemas.Accepted, w.Status(1))
	}
	w.Completes(b, 1)

	w.Assigns(a, b, "y", mailboxtest.NoParent)
	w.Pass(119 * time.Minute)
	require.Equal(t, schemas.Accepted, w.Status(2))
	w.Pass(2 * time.Minute) // longer than the longest silence
	require.Equal(t, schemas.Pending, w.Status(2))
}

func TestComplete_AcceptsResultAfterLeaseEndIfNoAgentClaimed(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b := schemas.Caller{Agent: "b", Via: schemas.ViaHTTP}
	claim := w.Assigns(a, b, "x")
	w.Pass(time.Hour)
	require.Equal(t, schemas.Pending, w.Status(1))
	w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Token = claim.Token })
	require.Equal(t, schemas.Completed, w.Status(1))
}

func TestComplete_KeepsLateResultOfLostClaim(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b1 := schemas.Caller{Agent: "b", AgentID: "1", Via: schemas.ViaHTTP}
	b2 := schemas.Caller{Agent: "b", AgentID: "2", Via: schemas.ViaHTTP}
	w.Sends(a, "b", "x")
	old := w.Claims(b1)
	w.Pass(time.Hour)
	fresh := w.Claims(b2)
	require.Equal(t, 2, fresh.Attempt)

	_, err := w.Complete(context.Background(), b1, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "mine"}, Token: old.Token})
	refused(t, err, schemas.Stale, "kept as a late result")
	got := w.FullView(1)
	require.Equal(t, schemas.Accepted, got.Status)
	require.Equal(t, "mine", got.Late[0].Completion.Summary)
	require.Equal(t, "late", w.Notices(a)[0].Kind)

	w.Completes(b2, 1, func(in *schemas.CompleteIn) { in.Token = fresh.Token })
}

func TestLease_EndOfLastAttemptSendsWorkToHuman(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b := schemas.Caller{Agent: "b", Via: schemas.ViaHTTP}
	w.Sends(a, "b", "x")
	for range 3 {
		require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
		w.Pass(time.Hour)
	}
	got := w.FullView(1)
	require.Equal(t, schemas.TimedOut, got.Status)
	require.Equal(t, schemas.ID(2), got.Standing.Successor)
	require.Equal(t, schemas.Human, w.FullView(2).Handoff.Target.Agent)
	require.Equal(t, "attempts_used_up", w.Notices(a)[0].Kind)
}

func TestFail_RollsBackToNamedAgent(t *testing.T) {
	w, coder, qa := newPair(t, "auto-code", "qa")
	w.Assigns(coder, qa, "Test it", func(in *schemas.SendIn) { in.Rollback = &schemas.Rollback{OnFailure: "auto-code"} })
	failed := w.Fails(qa, schemas.FailIn{
		HandoffID: "ho_1", FailureDetail: schemas.FailureDetail{
			Description: "Missing test fixtures", Type: "blocker", Blockers: []schemas.Blocker{{Description: "no fixtures"}},
			PartialProgress: &schemas.PartialProgress{Completed: []string{"unit"}, Incomplete: []string{"e2e"}},
		},
		Questions: []string{"Which users?"},
	})
	require.Equal(t, schemas.ThenRollback, failed.Then)
	require.Equal(t, schemas.Address("auto-code"), failed.To)

	child := w.FullView(failed.RollbackHandoff)
	require.Equal(t, schemas.Agent("qa"), child.Handoff.Source.Agent)
	require.Equal(t, []string{"ho_1 failed (qa, 2026-01-11T20:30:00Z): Missing test fixtures"}, child.Handoff.Context.PreviousFailures)
	require.Equal(t, []string{"Which users?"}, child.Handoff.Context.Questions)
	require.Equal(t, []string{"e2e"}, child.Handoff.Context.Checkpoint.PartialProgress.Incomplete)
	require.Equal(t, failed.RollbackHandoff, w.FullView(1).Standing.Successor)
	require.Contains(t, w.Claims(coder).Brief, "Missing test fixtures")

	again := w.Fails(qa, schemas.FailIn{
		HandoffID: "ho_1", FailureDetail: schemas.FailureDetail{
			Description: "Missing test fixtures", Type: "blocker", Blockers: []schemas.Blocker{{Description: "no fixtures"}},
			PartialProgress: &schemas.PartialProgress{Completed: []string{"unit"}, Incomplete: []string{"e2e"}},
		},
		Questions: []string{"Which users?"},
	})
	require.Equal(t, failed.FailureID, again.FailureID)
	_, err := w.Fail(context.Background(), qa, schemas.FailIn{HandoffID: "ho_1", FailureDetail: because("other")})
	require.Equal(t, failed.RollbackHandoff, refused(t, err, schemas.Conflict, "took its place").Successor)
}

func TestAsk_StopsLease(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Updates(b, 1, schemas.ActAsk, mailboxtest.WithQuestions("Which database?"))
	require.Equal(t, "question", w.Notices(a)[0].Kind)
	w.Pass(24 * time.Hour)
	require.Equal(t, schemas.Waiting, w.Status(1)) // no lease runs

	w.RefusesUpdate(b, 1, schemas.ActAnswer, schemas.Denied, "sender (a)", note("mine"))
	w.Updates(a, 1, schemas.ActAnswer, note("PostgreSQL"))
	require.Equal(t, "answer", w.Notices(b)[0].Kind)
	claim := w.Claims(b)
	require.Equal(t, 1, claim.Attempt)
	require.Contains(t, claim.Brief, "PostgreSQL")
}

func TestAnswer_OnlyPersonGrantsPermission(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Updates(b, 1, schemas.ActAsk, func(in *schemas.UpdateIn) {
		in.Conditions = &schemas.Conditions{NeedsPermission: []string{"drop the table"}}
	})
	w.RefusesUpdate(a, 1, schemas.ActAnswer, schemas.Denied, "only human", note("go ahead"))
	w.Updates(person, 1, schemas.ActAnswer, note("granted"))
	require.Equal(t, schemas.Pending, w.Status(1))
}

func TestRelease_ToAnotherAgentKeepsProgress(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Assigns(a, b, "x")
	w.Updates(b, 1, schemas.ActProgress, note("half done"), func(in *schemas.UpdateIn) { in.Percent = 50 })
	w.Updates(b, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "c"; in.Note = "yours now" })
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "x"}})
	refused(t, err, schemas.Stale, "kept as a late result")
	claim := w.Claims(c)
	require.Equal(t, 1, claim.Attempt)
	require.Equal(t, 50, w.FullView(1).Standing.Percent)
}

func TestAmend_MergesChangesAndRedirects(t *testing.T) {
	w, a, c := newPair(t, "a", "c")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Tags = []string{"go"} })
	out := w.Updates(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) {
		in.To = "c"
		in.Changes = &schemas.Changes{Title: "Better", Tags: []string{"db"}, Data: map[string]string{"k": "v"}}
	})
	require.Equal(t, []string{"title", "data", "tags", "to"}, out.Changed)
	h := w.FullView(1).Handoff
	require.Equal(t, "Better", h.Title)
	require.Equal(t, []string{"go", "db"}, h.Tags)
	require.Equal(t, schemas.ID(1), w.Claims(c).HandoffID)
	_, err := w.TryUpdate(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Title: "z"}))
	refused(t, err, schemas.Conflict, "accepted")
}

func TestReturn_SendsReworkAndRefusesSecondReturn(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Completes(b, 1)
	require.Equal(t, "note", w.RefusesUpdate(a, 1, schemas.ActReturn, schemas.Invalid, "").Field)
	out := w.Updates(a, 1, schemas.ActReturn, note("no tests"))
	require.Equal(t, schemas.Returned, w.Status(1))
	claim := w.Claims(b)
	require.Equal(t, out.Created, claim.HandoffID)
	require.Equal(t, 2, claim.Attempt)
	require.Contains(t, claim.Brief, "no tests")
	w.RefusesUpdate(a, 1, schemas.ActReturn, schemas.Conflict, "took its place", note("again"))
}

func TestRetry_RepeatReturnsSameNewHandoff(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Detail = "all of it" })
	w.Fails(b, schemas.FailIn{
		HandoffID: "1", FailureDetail: because("flaky"), Then: schemas.ThenStop,
		Checkpoint: &schemas.Checkpoint{State: map[string]any{"step": "2"}},
	})
	first := w.Updates(a, 1, schemas.ActRetry)
	require.Equal(t, first.Created, w.Updates(a, 1, schemas.ActRetry).Created)
	again := w.FullView(first.Created)
	require.Equal(t, schemas.ID(1), again.Handoff.Metadata.RetryOf)
	require.Equal(t, 1, again.Handoff.Metadata.Depth)
	require.Equal(t, "all of it", again.Handoff.Detail)
	require.Equal(t, "2", again.Handoff.Context.Checkpoint.State["step"])
	require.Equal(t, 2, w.Claims(b).Attempt)
}

func TestDeadline_EndsHandoffAndTellsSender(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	claim := w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Deadline = "30m" })
	w.Pass(31 * time.Minute)
	require.Equal(t, schemas.TimedOut, w.Status(1))
	require.Equal(t, "timed_out", w.Notices(a)[0].Kind)
	require.Contains(t, w.Claims(a).Brief, "deadline")
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "late"}, Token: claim.Token})
	refused(t, err, schemas.Stale, "ho_2 took its place")
	require.Len(t, w.FullView(1).Late, 1)
}

func TestApprove_OnlyPersonDecides(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	approval := func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}} }
	sent := w.Sends(a, "b", "x", approval)
	require.Equal(t, []string{"approval"}, sent.BlockedBy)
	w.Sends(a, "b", "y", approval)
	require.True(t, w.Claims(b).Empty)
	w.RefusesUpdate(a, 1, schemas.ActApprove, schemas.Denied, "human")
	w.Updates(person, 1, schemas.ActApprove)
	w.Updates(person, 2, schemas.ActRefuse, note("too risky"))
	require.Equal(t, schemas.ID(1), w.Claims(b).HandoffID)
	require.Equal(t, schemas.Rejected, w.Status(2))
}

func TestSend_WithAfterIsBlockedUntilDependencyIsCompleted(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "first")
	w.Sends(a, "c", "second", mailboxtest.After("ho_1"))
	require.True(t, w.Claims(c).Empty)
	w.Claims(b)
	w.Completes(b, 1)
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
}

func TestCancel_TellsHolderAndListsOpenChildren(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Sends(b, "c", "part of x")
	out := w.Updates(a, 1, schemas.ActCancel, note("changed my mind"))
	require.Equal(t, []schemas.ID{2}, out.Children)
	require.Equal(t, "cancelled", w.Notices(b)[0].Kind)
	w.RefusesUpdate(b, 1, schemas.ActProgress, schemas.Conflict, "cancelled")
	require.Equal(t, []string{"ho_2"}, w.RefusesUpdate(a, 1, schemas.ActCancel, schemas.Conflict, "cannot be cancelled").Known)
}

func TestSend_RefusesEleventhHandoffOfChain(t *testing.T) {
	w, by := newWorldWith(t, "a")
	parent := "none"
	for range 10 {
		parent = w.Sends(by, "b", "x"+parent, func(in *schemas.SendIn) { in.Parent = parent }).HandoffID.String()
	}
	_, err := w.Send(context.Background(), by, schemas.SendIn{To: "b", Task: "one more", Parent: parent})
	refused(t, err, schemas.Limit, "Max handoffs (10) exceeded. Chain: a → a")
}

func TestSend_RepeatedIdempotencyKeyReturnsFirstResult(t *testing.T) {
	w, a := newWorldWith(t, "a")
	key := func(in *schemas.SendIn) { in.Key = "k1" }
	first := w.Sends(a, "b", "x", key)
	require.Equal(t, first.HandoffID, w.Sends(a, "b", "x", key).HandoffID)
	mailboxtest.RequireRefusal(t, w.Send, a, schemas.SendIn{To: "b", Task: "other", Key: "k1"}, schemas.Conflict, "key")
	require.Empty(t, w.Sends(a, "b", "y").Warnings[1:])
	require.Contains(t, w.Sends(a, "b", "y").Warnings[1], "same as ho_2")
}

func TestSend_RefusesUnknownRecipientIfAgentsAreRegistered(t *testing.T) {
	w, a := newWorldWith(t, "a")
	require.Contains(t, w.Sends(a, "qaa", "x").Warnings[0], "nobody has claimed as qaa")
	mailboxtest.Must(t, w.Register, a, schemas.RegisterIn{Name: "qa", Accepts: []string{"test_request"}})
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "qab", Task: "x"})
	e := refused(t, err, schemas.NotFound, "Agent not found: qab. Closest: qa. Nothing was sent.")
	require.Equal(t, "qa", e.Known[0])
	_, err = w.Send(context.Background(), a, schemas.SendIn{To: "test-request", Task: "x"})
	refused(t, err, schemas.NotFound, "qa takes capability:test_request. Nothing was sent.")
	mailboxtest.RequireRefusal(t, w.Send, a, schemas.SendIn{To: "qa", Task: "x", Type: "design_request"}, schemas.Conflict, "does not accept")
}

func TestClaim_FromPoolNeedsQualification(t *testing.T) {
	w, a, qa, other := newTrio(t, "a", "qa", "other")
	mailboxtest.Must(t, w.Register, qa, schemas.RegisterIn{Name: "qa", Accepts: []string{"security_review"}})
	sent := w.Sends(a, "capability:security_review", "Review")
	require.Equal(t, schemas.Agent("qa"), sent.Routed.Candidates[0].Agent)
	require.True(t, w.Claims(other).Empty)
	require.Equal(t, sent.HandoffID, w.Claims(qa).HandoffID)
}

func TestComplete_WithContinuationOfTypeMessageSendsNotice(t *testing.T) {
	w, a, b, c := mailboxtest.NewWithThreeAgents(t, "a", "b", "c")
	w.Assigns(a, b, "x")
	tell := func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "for your information", Type: schemas.TypeMessage}}
	}
	first := w.Completes(b, 1, tell)
	require.Zero(t, first.Forwarded.HandoffID)
	require.NotZero(t, first.Forwarded.NoticeID)
	again := w.Completes(b, 1, tell)
	require.Equal(t, schemas.Address("c"), again.Forwarded.To)
	require.Equal(t, "delivered", again.Forwarded.Status)
	require.Equal(t, []string{"message"}, w.NoticeKinds(c, 1))
	require.True(t, w.Claims(c).Empty)
}

package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestSentClaimedAndCompletedInOrder(t *testing.T) {
	w := newWorld(t)
	architect, coder := w.stdio("architect"), w.stdio("auto-code")

	sent := w.send(architect, "auto-code", "Implement the auth module")
	require.Equal(t, "ho_1", sent.HandoffID.String())
	require.Equal(t, "pending", sent.Status)
	require.Equal(t, 1, sent.Position)

	claim := w.claim(coder)
	require.Equal(t, sent.HandoffID, claim.HandoffID)
	require.Equal(t, 1, claim.Attempt)
	require.Contains(t, claim.Brief, "Implement the auth module")
	require.Equal(t, w.Now().Add(15*time.Minute), *claim.LeaseEnds)
	require.Empty(t, claim.Holding, "nothing else")
	require.True(t, w.claim(coder).Empty)

	done := w.complete(coder, 1)
	require.Equal(t, schemas.Success, done.Outcome)
	require.Equal(t, schemas.Completed, w.status(1))
	notices := w.notices(architect)
	require.Len(t, notices, 1)
	require.Equal(t, "completed", notices[0].Kind)
	require.True(t, notices[0].Unread)
	require.False(t, w.notices(architect)[0].Unread)
}

func TestACompletionPassesOnInTheSameStep(t *testing.T) {
	w := newWorld(t)
	architect, coder, qa := w.stdio("architect"), w.stdio("auto-code"), w.stdio("qa")
	w.send(architect, "auto-code", "Implement")
	w.claim(coder)
	done := w.complete(coder, 1, func(in *schemas.CompleteIn) {
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "qa", Task: "Test it"}, Reason: "integration tests"}
	})
	require.Equal(t, schemas.ID(2), done.Forwarded.HandoffID)
	require.Equal(t, schemas.ID(1), done.Forwarded.Parent)

	h := w.full(2).Handoff
	require.Equal(t, "done", h.Summary)
	require.Equal(t, "integration tests", h.Target.Reason)
	require.Equal(t, 2, h.Metadata.Depth)
	require.Equal(t, schemas.Workflow("wf_1"), h.Metadata.Workflow)
	require.Equal(t, schemas.ID(2), w.claim(qa).HandoffID)
}

func TestACompletionThatCannotPassOnChangesNothing(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{
		Summary: "s", Continuation: &schemas.Continuation{SendIn: schemas.SendIn{To: "capability:", Task: "y"}},
	}})
	require.Equal(t, "continuation.to", refused(t, err, schemas.Invalid, "").Field)
	require.Equal(t, schemas.Accepted, w.status(1))
}

func TestLeaseEndsAndTheHandoffIsRedelivered(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	first := w.assign(a, b, "x")
	must(t, w.Detach, b, schemas.ConnIn{Conn: b.Conn})
	w.later(90 * time.Second)
	require.Equal(t, schemas.Accepted, w.status(1))
	w.later(time.Minute)
	require.Equal(t, schemas.Pending, w.status(1))

	second := b
	second.Conn = "another"
	again := w.claim(second)
	require.Equal(t, 2, again.Attempt)
	require.NotEqual(t, first.Token, again.Token)
}

func TestALongSilenceKeepsAClaimWhileTheConnectionIsOpen(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	for range 40 {
		w.later(time.Minute)
		require.Equal(t, schemas.Accepted, w.status(1))
	}
	w.complete(b, 1)

	w.assign(a, b, "y", func(in *schemas.SendIn) { in.Parent = "none" })
	w.later(119 * time.Minute)
	require.Equal(t, schemas.Accepted, w.status(2))
	w.later(2 * time.Minute) // longer than the longest silence
	require.Equal(t, schemas.Pending, w.status(2))
}

func TestALapsedClaimCanStillFinishWhenNobodyElseCame(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b := schemas.Caller{Agent: "b", Via: schemas.ViaHTTP}
	claim := w.assign(a, b, "x")
	w.later(time.Hour)
	require.Equal(t, schemas.Pending, w.status(1))
	w.complete(b, 1, func(in *schemas.CompleteIn) { in.Token = claim.Token })
	require.Equal(t, schemas.Completed, w.status(1))
}

func TestAClaimantWhoLostItsClaimIsRefusedAndItsResultKept(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b1 := schemas.Caller{Agent: "b", AgentID: "1", Via: schemas.ViaHTTP}
	b2 := schemas.Caller{Agent: "b", AgentID: "2", Via: schemas.ViaHTTP}
	w.send(a, "b", "x")
	old := w.claim(b1)
	w.later(time.Hour)
	fresh := w.claim(b2)
	require.Equal(t, 2, fresh.Attempt)

	_, err := w.Complete(context.Background(), b1, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "mine"}, Token: old.Token})
	refused(t, err, schemas.Stale, "kept as a late result")
	got := w.full(1)
	require.Equal(t, schemas.Accepted, got.Status)
	require.Equal(t, "mine", got.Late[0].Completion.Summary)
	require.Equal(t, "late", w.notices(a)[0].Kind)

	w.complete(b2, 1, func(in *schemas.CompleteIn) { in.Token = fresh.Token })
}

func TestAttemptsAreUsedUpAndAPersonDecides(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b := schemas.Caller{Agent: "b", Via: schemas.ViaHTTP}
	w.send(a, "b", "x")
	for range 3 {
		require.Equal(t, schemas.ID(1), w.claim(b).HandoffID)
		w.later(time.Hour)
	}
	got := w.full(1)
	require.Equal(t, schemas.TimedOut, got.Status)
	require.Equal(t, schemas.ID(2), got.Standing.Successor)
	require.Equal(t, schemas.Human, w.full(2).Handoff.Target.Agent)
	require.Equal(t, "attempts_used_up", w.notices(a)[0].Kind)
}

func TestFailRollsBackToTheAgentNamed(t *testing.T) {
	w := newWorld(t)
	coder, qa := w.stdio("auto-code"), w.stdio("qa")
	w.assign(coder, qa, "Test it", func(in *schemas.SendIn) { in.Rollback = &schemas.Rollback{OnFailure: "auto-code"} })
	failed := w.fail(qa, schemas.FailIn{
		HandoffID: "ho_1", FailureDetail: schemas.FailureDetail{
			Description: "Missing test fixtures", Type: "blocker", Blockers: []schemas.Blocker{{Description: "no fixtures"}},
			PartialProgress: &schemas.PartialProgress{Completed: []string{"unit"}, Incomplete: []string{"e2e"}},
		},
		Questions: []string{"Which users?"},
	})
	require.Equal(t, schemas.ThenRollback, failed.Then)
	require.Equal(t, schemas.Address("auto-code"), failed.To)

	child := w.full(failed.RollbackHandoff)
	require.Equal(t, schemas.Agent("qa"), child.Handoff.Source.Agent)
	require.Equal(t, []string{"ho_1 failed: Missing test fixtures"}, child.Handoff.Context.PreviousFailures)
	require.Equal(t, []string{"Which users?"}, child.Handoff.Context.Questions)
	require.Equal(t, []string{"e2e"}, child.Handoff.Context.Checkpoint.PartialProgress.Incomplete)
	require.Equal(t, failed.RollbackHandoff, w.full(1).Standing.Successor)
	require.Contains(t, w.claim(coder).Brief, "Missing test fixtures")

	again := w.fail(qa, schemas.FailIn{
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

func TestQuestionWaitsForItsAnswerWithoutALease(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.update(b, 1, schemas.ActAsk, func(in *schemas.UpdateIn) { in.Questions = []string{"Which database?"} })
	require.Equal(t, "question", w.notices(a)[0].Kind)
	w.later(24 * time.Hour)
	require.Equal(t, schemas.Waiting, w.status(1)) // no lease runs

	w.refuses(b, 1, schemas.ActAnswer, schemas.Denied, "sender (a)", note("mine"))
	w.update(a, 1, schemas.ActAnswer, note("PostgreSQL"))
	require.Equal(t, "answer", w.notices(b)[0].Kind)
	claim := w.claim(b)
	require.Equal(t, 1, claim.Attempt)
	require.Contains(t, claim.Brief, "PostgreSQL")
}

func TestOnlyAPersonGrantsPermission(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.update(b, 1, schemas.ActAsk, func(in *schemas.UpdateIn) {
		in.Conditions = &schemas.Conditions{NeedsPermission: []string{"drop the table"}}
	})
	w.refuses(a, 1, schemas.ActAnswer, schemas.Denied, "only human", note("go ahead"))
	w.update(person, 1, schemas.ActAnswer, note("granted"))
	require.Equal(t, schemas.Pending, w.status(1))
}

func TestASenderIsToldHowPendingWorkGoesToAnother(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.send(a, "b", "x")
	_, err := w.tryUpdate(a, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "c" })
	next := refused(t, err, schemas.Conflict, "cannot be released").Next[0]
	require.Equal(t, `sends it to another {"handoff_id":"ho_1","action":"amend","to":"…"}`, next.Say+" "+string(next.Args))
}

func TestReleaseToAnotherTakesProgressAlong(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.assign(a, b, "x")
	w.update(b, 1, schemas.ActProgress, note("half done"), func(in *schemas.UpdateIn) { in.Percent = 50 })
	w.update(b, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "c"; in.Note = "yours now" })
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "x"}})
	refused(t, err, schemas.Denied, "It is for c, who has not claimed it")
	claim := w.claim(c)
	require.Equal(t, 1, claim.Attempt)
	require.Equal(t, 50, w.full(1).Standing.Percent)
}

func TestAmendMergesAndRedirects(t *testing.T) {
	w, a, c := newPair(t, "a", "c")
	w.send(a, "b", "x", func(in *schemas.SendIn) { in.Tags = []string{"go"} })
	out := w.update(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) {
		in.To = "c"
		in.Changes = &schemas.Changes{Title: "Better", Tags: []string{"db"}, Data: map[string]string{"k": "v"}}
	})
	require.Equal(t, []string{"title", "data", "tags", "to"}, out.Changed)
	h := w.full(1).Handoff
	require.Equal(t, "Better", h.Title)
	require.Equal(t, []string{"go", "db"}, h.Tags)
	require.Equal(t, schemas.ID(1), w.claim(c).HandoffID)
	_, err := w.tryUpdate(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Title: "z"} })
	refused(t, err, schemas.Conflict, "accepted")
}

func TestReturnGivesWorkBackOnce(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.complete(b, 1)
	require.Equal(t, "note", w.refuses(a, 1, schemas.ActReturn, schemas.Invalid, "").Field)
	out := w.update(a, 1, schemas.ActReturn, note("no tests"))
	require.Equal(t, schemas.Returned, w.status(1))
	claim := w.claim(b)
	require.Equal(t, out.Created, claim.HandoffID)
	require.Equal(t, 2, claim.Attempt)
	require.Contains(t, claim.Brief, "no tests")
	w.refuses(a, 1, schemas.ActReturn, schemas.Conflict, "took its place", note("again"))
}

func TestRetryIsANewHandoffAndOnlyOne(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x", func(in *schemas.SendIn) { in.Detail = "all of it" })
	w.fail(b, schemas.FailIn{
		HandoffID: "1", FailureDetail: because("flaky"), Then: schemas.ThenStop,
		Checkpoint: &schemas.Checkpoint{State: map[string]any{"step": "2"}},
	})
	first := w.update(a, 1, schemas.ActRetry)
	require.Equal(t, first.Created, w.update(a, 1, schemas.ActRetry).Created)
	again := w.full(first.Created)
	require.Equal(t, schemas.ID(1), again.Handoff.Metadata.RetryOf)
	require.Equal(t, 1, again.Handoff.Metadata.Depth)
	require.Equal(t, "all of it", again.Handoff.Detail)
	require.Equal(t, "2", again.Handoff.Context.Checkpoint.State["step"])
	require.Equal(t, 2, w.claim(b).Attempt)
}

func TestDeadlineEndsItAndTheSenderGoesOn(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	claim := w.assign(a, b, "x", func(in *schemas.SendIn) { in.Deadline = "30m" })
	w.later(31 * time.Minute)
	require.Equal(t, schemas.TimedOut, w.status(1))
	require.Equal(t, "timed_out", w.notices(a)[0].Kind)
	require.Contains(t, w.claim(a).Brief, "deadline")
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "late"}, Token: claim.Token})
	refused(t, err, schemas.Stale, "ho_2 took its place")
	require.Len(t, w.full(1).Late, 1)
}

func TestPersonApprovesOrRefuses(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	approval := func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}} }
	sent := w.send(a, "b", "x", approval)
	require.Equal(t, []string{"approval"}, sent.BlockedBy)
	w.send(a, "b", "y", approval)
	require.True(t, w.claim(b).Empty)
	w.refuses(a, 1, schemas.ActApprove, schemas.Denied, "human")
	w.update(person, 1, schemas.ActApprove)
	w.update(person, 2, schemas.ActRefuse, note("too risky"))
	require.Equal(t, schemas.ID(1), w.claim(b).HandoffID)
	require.Equal(t, schemas.Rejected, w.status(2))
}

func TestAfterWaitsForOthers(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.send(a, "b", "first")
	w.send(a, "c", "second", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: []string{"ho_1"}} })
	require.True(t, w.claim(c).Empty)
	w.claim(b)
	w.complete(b, 1)
	require.Equal(t, schemas.ID(2), w.claim(c).HandoffID)
}

func TestCancelTellsTheHolder(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.send(b, "c", "part of x")
	out := w.update(a, 1, schemas.ActCancel, note("changed my mind"))
	require.Equal(t, []schemas.ID{2}, out.Children)
	require.Equal(t, "cancelled", w.notices(b)[0].Kind)
	w.refuses(b, 1, schemas.ActProgress, schemas.Conflict, "cancelled")
	require.Equal(t, []string{"ho_2"}, w.refuses(a, 1, schemas.ActCancel, schemas.Conflict, "cannot be cancelled").Known)
}

func TestChainOfTenHandoffsIsTheLongest(t *testing.T) {
	w, by := newWorldWith(t, "a")
	parent := "none"
	for range 10 {
		parent = w.send(by, "b", "x"+parent, func(in *schemas.SendIn) { in.Parent = parent }).HandoffID.String()
	}
	_, err := w.Send(context.Background(), by, schemas.SendIn{To: "b", Task: "one more", Parent: parent})
	refused(t, err, schemas.Limit, "Max handoffs (10) exceeded. Chain: a → a")
}

func TestKeysMakeRepeatsHarmless(t *testing.T) {
	w, a := newWorldWith(t, "a")
	key := func(in *schemas.SendIn) { in.Key = "k1" }
	first := w.send(a, "b", "x", key)
	require.Equal(t, first.HandoffID, w.send(a, "b", "x", key).HandoffID)
	refuses(t, w.Send, a, schemas.SendIn{To: "b", Task: "other", Key: "k1"}, schemas.Conflict, "key")
	require.Empty(t, w.send(a, "b", "y").Warnings[1:])
	require.Contains(t, w.send(a, "b", "y").Warnings[1], "same as ho_2")
}

func TestUnknownRecipientsAreRefusedWhereAgentsAreDeclared(t *testing.T) {
	w, a := newWorldWith(t, "a")
	require.Contains(t, w.send(a, "qaa", "x").Warnings[0], "nobody has claimed as qaa")
	must(t, w.Register, a, schemas.RegisterIn{Name: "qa", Accepts: []string{"test_request"}})
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "qab", Task: "x"})
	e := refused(t, err, schemas.NotFound, "Agent not found: qab. Closest: qa. Nothing was sent.")
	require.Equal(t, "qa", e.Known[0])
	_, err = w.Send(context.Background(), a, schemas.SendIn{To: "test-request", Task: "x"})
	refused(t, err, schemas.NotFound, "qa takes capability:test_request. Nothing was sent.")
	refuses(t, w.Send, a, schemas.SendIn{To: "qa", Task: "x", Type: "design_request"}, schemas.Conflict, "does not accept")
}

func TestThePoolIsClaimedByThoseWhoQualify(t *testing.T) {
	w, a, qa, other := newTrio(t, "a", "qa", "other")
	must(t, w.Register, qa, schemas.RegisterIn{Name: "qa", Accepts: []string{"security_review"}})
	sent := w.send(a, "capability:security_review", "Review")
	require.Equal(t, schemas.Agent("qa"), sent.Routed.Candidates[0].Agent)
	require.True(t, w.claim(other).Empty)
	require.Equal(t, sent.HandoffID, w.claim(qa).HandoffID)
}

package mailbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func afterwards(ids ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Parent, in.Options = "none", &schemas.SendOptions{After: ids}
	}
}

func TestADependentWaitsForTheRetryOfWhatItWaitedFor(t *testing.T) {
	for name, retry := range map[string]func(w *world, a, b schemas.Caller) schemas.ID{
		"by its holder": func(w *world, _, b schemas.Caller) schemas.ID {
			w.claim(b)
			return w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry}).RollbackHandoff
		},
		"by its sender": func(w *world, a, _ schemas.Caller) schemas.ID {
			w.update(a, 1, schemas.ActCancel)
			return w.update(a, 1, schemas.ActRetry).Created
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, b, c := w.stdio("a"), w.stdio("b"), w.stdio("c")
			w.send(a, "b", "first")
			w.send(a, "c", "second", afterwards("1"))
			again := retry(w, a, b)
			require.Equal(t, []string{again.String()}, w.full(2).Standing.BlockedBy)
			w.rested()
			require.Equal(t, again, w.claim(b).HandoffID)
			w.complete(b, again)
			require.Equal(t, schemas.ID(2), w.claim(c).HandoffID)
		})
	}
}

func TestADependentGoesOnWhenWhoTookTheFailedWorkBackCompletesIt(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.send(a, "b", "first")
	w.send(a, "c", "second", afterwards("1"))
	w.claim(b)
	back := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	require.Equal(t, []string{"ho_1"}, w.full(2).Standing.BlockedBy)
	require.Equal(t, back, w.claim(a).HandoffID)
	w.complete(a, back)
	require.Empty(t, w.full(2).Standing.BlockedBy)
	require.Equal(t, schemas.ID(2), w.claim(c).HandoffID)
}

func TestARetryWithNobodyLeftToMakeItGoesToAPerson(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.accepts("review", b)
	w.send(a, "capability:review", "x")
	w.claim(b)
	in := schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry}
	first := w.fail(b, in)
	require.Equal(t, schemas.ThenEscalate, first.Then)
	require.Equal(t, schemas.Address(schemas.Human), first.To)
	require.NotEmpty(t, first.Warnings)
	require.Equal(t, schemas.ThenEscalate, w.full(1).Failure.Then)

	again := w.fail(b, in)
	require.Equal(t, first.Then, again.Then)
	require.Equal(t, first.To, again.To)
	require.Equal(t, first.RollbackHandoff, again.RollbackHandoff)
}

func TestARetryWithoutAttemptsLeftGoesToAPerson(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{MaxAttempts: 1} })
	out := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry})
	require.Equal(t, schemas.ThenEscalate, out.Then)
	require.Equal(t, schemas.Address(schemas.Human), out.To)
}

func TestARetryInAPoolPassesOverWhoFailed(t *testing.T) {
	w, _, b, c := pool(t)
	w.claim(b)
	out := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenRetry})
	require.Equal(t, schemas.ThenRetry, out.Then)
	require.Equal(t, "ho_2 may be claimed in 10s.", w.claim(c).Waits)
	w.rested()
	require.True(t, w.claim(b).Empty)
	require.Equal(t, out.RollbackHandoff, w.claim(c).HandoffID)
}

func estimated(in *schemas.SendIn) {
	in.Expectations = &schemas.Expectations{EstimatedDuration: "4h", Timeout: "10h"}
}

func TestARetryKeepsEstimateAndTimeout(t *testing.T) {
	w := newWorld(t)
	b := remote("b", "1")
	w.send(w.stdio("a"), "b", "x", estimated)
	first := w.claim(b)
	require.Equal(t, w.Now().Add(8*time.Hour), *first.LeaseEnds)
	w.later(time.Hour)
	w.fail(b, schemas.FailIn{HandoffID: "1", Token: first.Token, FailureDetail: because("d"), Then: schemas.ThenRetry})
	deadline := w.Now().Add(9 * time.Hour)
	w.rested()
	require.Equal(t, w.Now().Add(8*time.Hour), *w.claim(b).LeaseEnds)
	require.Equal(t, deadline, *w.full(2).Handoff.Metadata.Deadline)
}

func TestAReturnKeepsEstimateAndTimeout(t *testing.T) {
	w := newWorld(t)
	a, b := w.stdio("a"), remote("b", "1")
	first := w.assign(a, b, "x", estimated)
	w.complete(b, 1, func(in *schemas.CompleteIn) { in.Token = first.Token })
	w.later(20 * time.Hour)
	w.update(a, 1, schemas.ActReturn, note("again"))
	require.Equal(t, w.Now().Add(8*time.Hour), *w.claim(b).LeaseEnds)
	require.Equal(t, w.Now().Add(10*time.Hour), *w.full(2).Handoff.Metadata.Deadline)
}

// sentByTheRules gives fixer a handoff in the workflow of a that the clock sent.
func sentByTheRules(t testing.TB) (w *world, a, fixer schemas.Caller, id schemas.ID) {
	w = newWorld(t)
	a, fixer = w.stdio("a"), w.stdio("fixer")
	w.send(a, "b", "x", func(in *schemas.SendIn) {
		in.Deadline, in.Rollback = "10m", &schemas.Rollback{OnFailure: "fixer"}
	})
	w.later(time.Hour)
	got := w.claim(fixer)
	require.Equal(t, schemas.System, got.From)
	return w, a, fixer, got.HandoffID
}

func TestTheOwnerHearsOfWorkThatTheRulesSent(t *testing.T) {
	for kind, do := range map[string]func(w *world, fixer schemas.Caller, id schemas.ID){
		"question":  func(w *world, f schemas.Caller, id schemas.ID) { w.update(f, id, schemas.ActAsk, note("which?")) },
		"completed": func(w *world, f schemas.Caller, id schemas.ID) { w.complete(f, id) },
		"failed": func(w *world, f schemas.Caller, id schemas.ID) {
			w.fail(f, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("d")})
		},
		"cancelled": func(w *world, _ schemas.Caller, id schemas.ID) { w.update(person, id, schemas.ActCancel) },
	} {
		t.Run(kind, func(t *testing.T) {
			w, a, fixer, id := sentByTheRules(t)
			do(w, fixer, id)
			require.Equal(t, []string{kind}, w.kinds(a, id))
		})
	}
}

func TestTheOwnerAnswersWhatTheRulesSent(t *testing.T) {
	w, a, fixer, id := sentByTheRules(t)
	w.update(fixer, id, schemas.ActAsk, note("which?"))
	w.update(a, id, schemas.ActAnswer, note("this"))
	require.Contains(t, w.claim(fixer).Brief, "this")
}

func TestARollbackCancelsOnlyWhatItsHolderPassedOnUnclaimed(t *testing.T) {
	w, a, b, d := newTrio(t, "a", "b", "d")
	w.assign(a, b, "x")
	w.send(b, "c", "unclaimed part")
	w.send(b, "d", "claimed part")
	w.send(a, "c", "of another sender", func(in *schemas.SendIn) { in.Parent = "1" })
	w.send(a, "e", "waits for the part", afterwards("2"))
	w.claim(d)
	w.send(b, "f", "begun part", func(in *schemas.SendIn) { in.Parent = "1" })
	begun := w.stdio("f")
	w.claim(begun)
	w.update(begun, 6, schemas.ActRelease)
	back := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff

	require.Contains(t, w.full(back).Handoff.Context.KnownIssues,
		"d is at work on ho_3 (claimed part), a part of ho_1: wait for it, or cancel it")
	require.Equal(t, schemas.Cancelled, w.status(2))
	require.Equal(t, schemas.Accepted, w.status(3))
	require.Equal(t, schemas.Pending, w.status(4))
	require.Equal(t, schemas.Pending, w.status(6))
	require.Equal(t, []string{"blocked"}, w.kinds(a, 5))
}

func TestWhoPassedOnIsToldThatTheClockCancelledIt(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	w.send(b, "c", "a part")
	w.later(time.Hour)
	require.Equal(t, schemas.Cancelled, w.status(2))
	require.Equal(t, []string{"cancelled"}, w.kinds(b, 2))
}

func TestFailSaysWhatFollows(t *testing.T) {
	for _, c := range []struct {
		then, became schemas.Then
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
			w.assign(a, b, "x")
			in := schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: c.then}
			first, again := w.fail(b, in), w.fail(b, in)
			require.Equal(t, c.became, first.Then)
			require.Equal(t, c.to, first.To)
			again.Warnings = nil
			require.Equal(t, first, again)
		})
	}
}

func TestWhoWaitsForARetryIsNotToldThatItIsBlocked(t *testing.T) {
	w, s, c := newPair(t, "s", "c")
	w.send(s, "c", "x")
	w.send(s, "d", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: []string{"1"}} })
	w.claim(c)
	w.fail(c, schemas.FailIn{HandoffID: "1", FailureDetail: because("no"), Then: schemas.ThenRetry})
	require.NotContains(t, w.kinds(s, 2), "blocked")
	require.Equal(t, []string{"ho_3"}, w.full(2).Standing.BlockedBy)
}

// Nobody needs a rollback or a decision of work that a retry has done, however many attempts it took.
func TestARetryThatSucceedsEndsWhatItsFailuresLeft(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	rolled := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.update(a, 1, schemas.ActRetry).Created
	w.claim(b)
	decide := w.fail(b, schemas.FailIn{HandoffID: again.String(), FailureDetail: because("d"), Then: schemas.ThenEscalate}).RollbackHandoff
	claimed := w.send(a, "c", "z", func(in *schemas.SendIn) { in.Parent = "1" }).HandoffID // of an agent, not of the rules
	third := w.update(a, again, schemas.ActRetry).Created
	w.claim(b)
	w.complete(b, third)
	for _, id := range []schemas.ID{rolled, decide} {
		st := w.full(id).Standing
		require.Equal(t, schemas.Cancelled, st.Status, id)
		require.Contains(t, st.Reason, third.String()+" did what ")
	}
	require.Equal(t, schemas.Pending, w.status(claimed))
}

func TestARollbackThatSomebodyHoldsGoesOnThoughTheRetrySucceeded(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	rolled := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.update(a, 1, schemas.ActRetry).Created
	w.claim(a)
	w.claim(b)
	w.complete(b, again)
	require.Equal(t, schemas.Accepted, w.status(rolled))
}

func TestAPartThatIsCalledARollbackIsNoneThatARetryEnds(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	part := w.send(a, "c", "y", func(in *schemas.SendIn) { in.Parent, in.Options = "1", &schemas.SendOptions{Kind: "rollback"} })
	rolled := w.fail(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	again := w.update(a, 1, schemas.ActRetry).Created
	w.claim(b)
	w.complete(b, again)
	require.Equal(t, schemas.Cancelled, w.status(rolled))
	require.Equal(t, schemas.Pending, w.status(part.HandoffID))
}

package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store/memory"
)

func TestAClaimWhoseAnswerIsLostIsGivenBackUncharged(t *testing.T) {
	b := &interrupted{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.stdio("a"), w.stdio("b")
	w.send(sender, "b", "x")
	ctx, cancel := context.WithCancel(context.Background())
	b.then = cancel
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{})
	refused(t, err, schemas.Unavailable, "given back")
	require.Equal(t, schemas.Pending, w.status(1))
	require.Equal(t, 1, w.claim(coder).Attempt)
}

func TestRepeatingAClaimThatWasGivenBackClaimsAnew(t *testing.T) {
	b := &interrupted{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.stdio("a"), w.stdio("b")
	w.send(sender, "b", "x")
	coder.Request = "0001"
	ctx, cancel := context.WithCancel(context.Background())
	b.then = cancel
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{})
	require.Error(t, err)

	again := w.claim(coder)
	require.Equal(t, schemas.ID(1), again.HandoffID)
	require.Equal(t, schemas.Accepted, w.status(1))
	coder.Request = ""
	w.complete(coder, 1, func(in *schemas.CompleteIn) { in.Token = again.Token })
}

func TestReadingAClaimAgainNeverGivesItBack(t *testing.T) {
	b := &interrupted{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.stdio("a"), w.stdio("b")
	w.send(sender, "b", "x")
	w.claim(coder)
	w.update(coder, 1, schemas.ActProgress, note("half way"))
	ctx, cancel := context.WithCancel(context.Background())
	b.then = cancel
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{HandoffID: "1"})
	require.Error(t, err)
	require.Equal(t, schemas.Working, w.status(1))
	w.complete(coder, 1)
}

func TestGivingBackLeavesANewerClaimAlone(t *testing.T) {
	b := &interrupted{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, first := w.stdio("a"), w.stdio("b")
	second := w.elsewhere(first, "conn-b2")
	w.send(sender, "b", "x")
	ctx, cancel := context.WithCancel(context.Background())
	b.then = func() {
		w.update(person, 1, schemas.ActRelease)
		w.claim(second)
		cancel()
	}
	_, err := w.Claim(ctx, first, schemas.ClaimIn{})
	require.Error(t, err)
	require.Equal(t, schemas.Accepted, w.status(1))
	w.complete(second, 1)
}

func TestAPlainClaimLeavesAnOrphanThatWaitsForAnAnswer(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.assign(a, b, "x")
	w.update(b, 1, schemas.ActAsk, note("may I?"))
	w.detach(b)
	restarted := w.elsewhere(b, "again")
	require.True(t, w.claim(restarted).Empty)
	require.Equal(t, []string{"may I?"}, w.full(1).Standing.Questions)
	require.Equal(t, 1, w.claimID(restarted, 1).Attempt) // who names it takes it
}

func TestALiveClaimOverHTTPIsNotTakenOver(t *testing.T) {
	w := newWorld(t)
	one, two := remote("b", "1"), remote("b", "2")
	w.send(w.stdio("a"), "b", "x")
	first := w.claim(one)
	refuses(t, w.Claim, two, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "b holds it")
	refuses(t, w.Claim, remote("b", ""), schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "b holds it")
	w.complete(one, 1, func(in *schemas.CompleteIn) { in.Token = first.Token })
}

func TestTheSameInstanceOverHTTPGetsANewToken(t *testing.T) {
	w := newWorld(t)
	b := remote("b", "1")
	w.send(w.stdio("a"), "b", "x")
	first := w.claim(b)
	again := w.claimID(b, 1)
	require.NotEqual(t, first.Token, again.Token)
	require.Equal(t, 1, again.Attempt)
	w.refuses(b, 1, schemas.ActProgress, schemas.Stale, "ended", func(in *schemas.UpdateIn) { in.Token = first.Token })
	w.complete(b, 1, func(in *schemas.CompleteIn) { in.Token = again.Token })
}

func TestSubagentsOfOneSessionAreToldApartByTheirTokens(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.send(a, "b", "x")
	w.send(a, "b", "y")
	one, two := w.claim(b), w.claim(b)
	require.NotEqual(t, one.Token, two.Token)
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}, Token: two.Token})
	refused(t, err, schemas.Denied, "not of ho_1")
	require.Equal(t, schemas.Accepted, w.status(1))
	w.complete(b, 1, func(in *schemas.CompleteIn) { in.Token = one.Token })
	w.complete(b, 2, func(in *schemas.CompleteIn) { in.Token = two.Token })
}

func TestAMailboxIsOrderedByAgeAndPriority(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		first schemas.ID
	}{
		{"a critical one overtakes for a day", 23 * time.Hour, 2},
		{"nobody waits longer than that", 25 * time.Hour, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.send(a, "b", "old", func(in *schemas.SendIn) { in.Priority = schemas.Low })
			w.later(c.after)
			w.send(a, "b", "young", func(in *schemas.SendIn) { in.Priority = schemas.Critical })
			require.Equal(t, c.first, w.claim(b).HandoffID)
		})
	}
}

// Subagents of one client share a connection, and models forget to repeat their name.
func TestTheClaimTokenSaysWhoActsOnTheSameConnection(t *testing.T) {
	w := newWorld(t)
	main := w.stdio("claude-code")
	sub := main
	sub.Agent = "qa"
	w.send(main, "qa", "x")
	token := w.claim(sub).Token
	stranger := w.stdio("other")
	_, err := w.Complete(context.Background(), stranger, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}, Token: token})
	refused(t, err, schemas.Denied, "qa holds it")

	w.complete(main, 1, func(in *schemas.CompleteIn) {
		in.Token = token
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "ciso", Task: "y"}}
	})
	require.Equal(t, schemas.Agent("qa"), w.full(1).Completion.Source.Agent)
	require.Equal(t, schemas.Agent("qa"), w.full(2).Handoff.Source.Agent)
}

func TestATokenDoesNotTakeASendersRightsAway(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	worker := lead
	worker.Agent = "worker"
	claim := w.assign(lead, worker, "x")
	w.complete(worker, 1)
	token := func(in *schemas.UpdateIn) { in.Token = claim.Token }
	w.update(lead, 1, schemas.ActReturn, note("not yet"), token)
	require.Equal(t, schemas.Returned, w.status(1))
}

func TestASenderDoesNotReleaseTheClaimOfAnotherByAnOldToken(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id := w.send(a, "a", "x").HandoffID
	mine := w.claim(a)
	token := func(in *schemas.UpdateIn) { in.Token = mine.Token }
	w.update(a, id, schemas.ActRelease, token, func(in *schemas.UpdateIn) { in.To = "b" })
	w.claim(b)
	w.refuses(a, id, schemas.ActRelease, schemas.Stale, "", token)
	require.Equal(t, schemas.Accepted, w.status(id))
	w.update(a, id, schemas.ActRelease) // as its sender
}

func TestWhoHoldsItAgainLosesNothingByAnOldToken(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	w.send(lead, "coder", "x")
	old := w.assign(lead, coder, "y")
	must(t, w.Detach, coder, schemas.ConnIn{Conn: coder.Conn})
	coder.Conn = "another"
	must(t, w.Attach, coder, schemas.ConnIn{Conn: coder.Conn})
	require.NotEqual(t, old.Token, w.claim(coder).Token)
	other := w.claimID(coder, 2)

	done := schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "done"}, Token: old.Token}
	e := refuses(t, w.Complete, coder, done, schemas.Stale, "you hold it again, with a newer token")
	require.Equal(t, "complete_handoff", e.Next[0].Tool)
	require.NotContains(t, string(e.Next[0].Args), "token")
	done.Token = other.Token
	e = refuses(t, w.Complete, coder, done, schemas.Denied, "of ho_2, which you hold")
	require.Contains(t, string(e.Next[0].Args), `"ho_2"`)
	require.Empty(t, w.notices(lead), "nothing was late")
	w.complete(coder, 1)
}

package mailbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store/memory"
)

func TestClaim_ReleasesHandoffIfResponseIsLost(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	ctx, cancel := context.WithCancel(context.Background())
	b.Then = []func(){cancel}
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{})
	refused(t, err, schemas.Unavailable, "given back")
	require.Equal(t, schemas.Pending, w.Status(1))
	require.Equal(t, 1, w.Claims(coder).Attempt)
}

func TestClaim_RepeatedAfterLostResponseGetsNewClaim(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	coder.Request = "0001"
	ctx, cancel := context.WithCancel(context.Background())
	b.Then = []func(){cancel}
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{})
	require.Error(t, err)

	again := w.Claims(coder)
	require.Equal(t, schemas.ID(1), again.HandoffID)
	require.Equal(t, schemas.Accepted, w.Status(1))
	coder.Request = ""
	w.Completes(coder, 1, func(in *schemas.CompleteIn) { in.Token = again.Token })
}

func TestClaim_LostResponseOfSecondClaimKeepsFirstClaim(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, coder := w.Stdio("a"), w.Stdio("b")
	w.Sends(sender, "b", "x")
	w.Claims(coder)
	w.Updates(coder, 1, schemas.ActProgress, note("half way"))
	ctx, cancel := context.WithCancel(context.Background())
	b.Then = []func(){cancel}
	_, err := w.Claim(ctx, coder, schemas.ClaimIn{HandoffID: "1"})
	require.Error(t, err)
	require.Equal(t, schemas.Working, w.Status(1))
	w.Completes(coder, 1)
}

func TestClaim_LostResponseDoesNotReleaseNewerClaim(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	w := newWorldOn(t, b)
	sender, first := w.Stdio("a"), w.Stdio("b")
	second := w.OtherSession(first, "conn-b2")
	w.Sends(sender, "b", "x")
	ctx, cancel := context.WithCancel(context.Background())
	b.Then = []func(){func() {
		w.Updates(person, 1, schemas.ActRelease)
		w.Claims(second)
		cancel()
	}}
	_, err := w.Claim(ctx, first, schemas.ClaimIn{})
	require.Error(t, err)
	require.Equal(t, schemas.Accepted, w.Status(1))
	w.Completes(second, 1)
}

func TestClaim_ReclaimsWaitingHandoffOnlyByID(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Assigns(a, b, "x")
	w.Updates(b, 1, schemas.ActAsk, note("may I?"))
	w.Leaves(b)
	restarted := w.OtherSession(b, "again")
	require.True(t, w.Claims(restarted).Empty)
	require.Equal(t, []string{"may I?"}, w.FullView(1).Standing.Questions)
	require.Equal(t, 1, w.ClaimsID(restarted, 1).Attempt) // a claim by id takes it
}

func TestClaim_RefusesOtherInstanceOfHolderOverHTTP(t *testing.T) {
	w := newWorld(t)
	one, two := remote("b", "1"), remote("b", "2")
	w.Sends(w.Stdio("a"), "b", "x")
	first := w.Claims(one)
	mailboxtest.RequireRefusal(t, w.Claim, two, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "b holds it")
	mailboxtest.RequireRefusal(t, w.Claim, remote("b", ""), schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "b holds it")
	w.Completes(one, 1, func(in *schemas.CompleteIn) { in.Token = first.Token })
}

func TestClaim_GivesSameInstanceNewTokenOverHTTP(t *testing.T) {
	w := newWorld(t)
	b := remote("b", "1")
	w.Sends(w.Stdio("a"), "b", "x")
	first := w.Claims(b)
	again := w.ClaimsID(b, 1)
	require.NotEqual(t, first.Token, again.Token)
	require.Equal(t, 1, again.Attempt)
	w.RefusesUpdate(b, 1, schemas.ActProgress, schemas.Stale, "ended", func(in *schemas.UpdateIn) { in.Token = first.Token })
	w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Token = again.Token })
}

func TestComplete_RefusesTokenOfAnotherHandoff(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x")
	w.Sends(a, "b", "y")
	one, two := w.Claims(b), w.Claims(b)
	require.NotEqual(t, one.Token, two.Token)
	_, err := w.Complete(context.Background(), b, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}, Token: two.Token})
	refused(t, err, schemas.Denied, "not of ho_1")
	require.Equal(t, schemas.Accepted, w.Status(1))
	w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Token = one.Token })
	w.Completes(b, 2, func(in *schemas.CompleteIn) { in.Token = two.Token })
}

// Subagents of one client share a connection, and models forget to repeat their name.
func TestComplete_WithTokenOnSameConnectionActsAsHolder(t *testing.T) {
	w, main := newWorldWith(t, "claude-code")
	sub := main
	sub.Agent = "qa"
	w.Sends(main, "qa", "x")
	token := w.Claims(sub).Token
	stranger := w.Stdio("other")
	_, err := w.Complete(context.Background(), stranger, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}, Token: token})
	refused(t, err, schemas.Denied, "qa holds it")

	w.Completes(main, 1, func(in *schemas.CompleteIn) {
		in.Token = token
		in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "ciso", Task: "y"}}
	})
	require.Equal(t, schemas.Agent("qa"), w.FullView(1).Completion.Source.Agent)
	require.Equal(t, schemas.Agent("qa"), w.FullView(2).Handoff.Source.Agent)
}

func TestReturn_AcceptsTokenOfHolderFromSender(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	worker := lead
	worker.Agent = "worker"
	claim := w.Assigns(lead, worker, "x")
	w.Completes(worker, 1)
	token := func(in *schemas.UpdateIn) { in.Token = claim.Token }
	w.Updates(lead, 1, schemas.ActReturn, note("not yet"), token)
	require.Equal(t, schemas.Returned, w.Status(1))
}

func TestRelease_RefusesSenderWithOldToken(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id := w.Sends(a, "a", "x").HandoffID
	mine := w.Claims(a)
	token := func(in *schemas.UpdateIn) { in.Token = mine.Token }
	w.Updates(a, id, schemas.ActRelease, token, func(in *schemas.UpdateIn) { in.To = "b" })
	w.Claims(b)
	w.RefusesUpdate(a, id, schemas.ActRelease, schemas.Stale, "", token)
	require.Equal(t, schemas.Accepted, w.Status(id))
	w.Updates(a, id, schemas.ActRelease) // as its sender
}

func TestComplete_WithOldTokenSaysThatCallerHasNewerClaim(t *testing.T) {
	w, lead, coder := newPair(t, "lead", "coder")
	w.Sends(lead, "coder", "x")
	old := w.Assigns(lead, coder, "y")
	mailboxtest.Must(t, w.Detach, coder, schemas.ConnIn{Conn: coder.Conn})
	coder.Conn = "another"
	mailboxtest.Must(t, w.Attach, coder, schemas.ConnIn{Conn: coder.Conn})
	require.NotEqual(t, old.Token, w.Claims(coder).Token)
	other := w.ClaimsID(coder, 2)

	done := schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "done"}, Token: old.Token}
	e := mailboxtest.RequireRefusal(t, w.Complete, coder, done, schemas.Stale, "you hold it again, with a newer token")
	require.Equal(t, "complete_handoff", e.Next[0].Tool)
	require.NotContains(t, string(e.Next[0].Args), "token")
	done.Token = other.Token
	e = mailboxtest.RequireRefusal(t, w.Complete, coder, done, schemas.Denied, "of ho_2, which you hold")
	require.Contains(t, string(e.Next[0].Args), `"ho_2"`)
	require.Empty(t, w.Notices(lead), "nothing was late")
	w.Completes(coder, 1)
}

// Without a connection only the instance proves the claimant. Without an instance nothing does.
func TestClaim_WithoutConnectionBelongsToSameInstance(t *testing.T) {
	w := newWorld(t)
	a, here, there, nobody := w.Stdio("a"), remote("b", "session:1"), remote("b", "session:2"), remote("b", "")
	w.Sends(a, "b", "x")
	w.Sends(a, "b", "y")
	w.ClaimsID(here, 1)
	w.ClaimsID(nobody, 2)
	for _, by := range []schemas.Caller{there, nobody} {
		mailboxtest.RequireRefusal(t, w.Claim, by, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
		_, err := w.Complete(context.Background(), by, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
		refused(t, err, schemas.Invalid, "claim_token is needed")
	}
	mailboxtest.RequireRefusal(t, w.Claim, nobody, schemas.ClaimIn{HandoffID: "2"}, schemas.Conflict, "ho_2 is accepted")
	_, err := w.Complete(context.Background(), nobody, schemas.CompleteIn{HandoffID: "2", Result: schemas.Result{Summary: "s"}})
	refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it")
	w.ClaimsID(here, 1)
	w.Completes(here, 1)
	require.Equal(t, schemas.Completed, w.Status(1))
}

// A client acts under the name of a person at the keyboard. It gets no advice that would not work.
func TestComplete_WithoutTokenAdvisesNoClaimIfPersonHoldsWork(t *testing.T) {
	w, client := newWorldWith(t, "b")
	w.Sends(w.Stdio("a"), "b", "x")
	w.ClaimsID(schemas.Caller{Agent: "b", Via: schemas.ViaCLI}, 1)
	_, err := w.Complete(context.Background(), client, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{Summary: "s"}})
	require.Empty(t, refused(t, err, schemas.Invalid, "nothing proves the claim: a may release it").Next)
	mailboxtest.RequireRefusal(t, w.Claim, client, schemas.ClaimIn{HandoffID: "1"}, schemas.Conflict, "ho_1 is accepted")
}

// 64 claimers of one mailbox share 1,000 handoffs: each handoff is claimed once, and completed by its claimant.
func TestClaim_GivesEachHandoffToOneOfManyClaimers(t *testing.T) {
	const claimers = 64
	handoffs := 8 * sandbox.Repetitions(125) // the same number from each sender
	onEach(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range handoffs / 8 {
					w.Sends(schemas.Caller{Agent: "planner", Via: schemas.ViaHTTP}, "worker", fmt.Sprintf("task %d of %d", j, i))
				}
			})
		}
		wg.Wait()

		var mu sync.Mutex // guards claims
		claims := map[schemas.ID]int{}
		for i := range claimers {
			wg.Go(func() {
				by := schemas.Caller{Agent: "worker", AgentID: fmt.Sprint(i), Via: schemas.ViaHTTP}
				for {
					out, err := w.Claim(context.Background(), by, schemas.ClaimIn{})
					if err != nil || out.Empty {
						return
					}
					mu.Lock()
					claims[out.HandoffID]++
					mu.Unlock()
					w.Completes(by, out.HandoffID, func(in *schemas.CompleteIn) { in.Token = out.Token })
				}
			})
		}
		wg.Wait()
		require.Len(t, claims, handoffs)
		for id, n := range claims {
			require.Equal(t, 1, n, "%s", id)
		}
	})
}

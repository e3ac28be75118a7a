package offer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// attachThreeSessions opens three sessions of one client. The second leaves.
func attachThreeSessions(w *mailboxtest.World) (first, third schemas.Caller) {
	first = w.OpensConnection("c1", "s1")
	second := w.OpensConnection("c2", "s2")
	third = w.OpensConnection("c3", "s3")
	w.Leaves(second)
	return first, third
}

func countClaimable(w *mailboxtest.World, a schemas.Agent) int {
	w.T.Helper()
	in, err := w.Inbox(context.Background(), a)
	require.NoError(w.T, err)
	return in.Pending
}

func listInbox(w *mailboxtest.World, by schemas.Caller) (ids []schemas.ID) {
	w.T.Helper()
	out := mailboxtest.Must(w.T, w.List, by, schemas.ListIn{})
	for _, i := range out.Items {
		ids = append(ids, i.HandoffID)
	}
	return ids
}

func TestClaim_TakesMailOfSiblingSessionThatLeft(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		first, third := attachThreeSessions(w)
		boss := w.Stdio("boss")
		w.Sends(boss, "claude-code-2", "x")
		for _, by := range []schemas.Caller{first, third} {
			require.Equal(t, 1, countClaimable(w, by.Agent))
			require.Equal(t, []schemas.ID{1}, listInbox(w, by))
		}
		require.Zero(t, countClaimable(w, "boss"))
		require.True(t, w.Claims(boss).Empty)

		got := w.Claims(third)
		require.Equal(t, schemas.ID(1), got.HandoffID)
		require.Zero(t, countClaimable(w, "claude-code"))
		require.Equal(t, schemas.Agent("claude-code-3"), w.FullView(1).Standing.Holder)
		w.Updates(third, 1, schemas.ActProgress, mailboxtest.WithNote("half"))
		w.Updates(third, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?"))
		w.Updates(boss, 1, schemas.ActAnswer, mailboxtest.WithNote("that one"))
		require.Equal(t, schemas.ID(1), w.ClaimsID(third, 1).HandoffID)
		w.Completes(third, 1)
		require.Equal(t, []string{"completed", "question"}, w.NoticeKinds(boss, 1))
		require.Equal(t, schemas.Agent("claude-code-3"), w.FullView(1).Completion.Source.Agent)

		w.Updates(boss, 1, schemas.ActReturn, mailboxtest.WithNote("again"))
		require.Equal(t, schemas.Address("claude-code-3"), w.FullView(2).Standing.Box)
	})
}

func TestClaim_OfSiblingSessionsMailAllowsEveryNextAction(t *testing.T) {
	for name, do := range map[string]func(w *mailboxtest.World, by schemas.Caller){
		"release": func(w *mailboxtest.World, by schemas.Caller) {
			w.Updates(by, 1, schemas.ActRelease)
			require.Equal(w.T, schemas.ID(1), w.Claims(by).HandoffID)
		},
		"fail": func(w *mailboxtest.World, by schemas.Caller) {
			w.Fails(by, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenRetry})
			w.PassBackoff()
			require.Equal(w.T, schemas.ID(2), w.Claims(by).HandoffID)
		},
		"reject": func(w *mailboxtest.World, by schemas.Caller) {
			w.Fails(by, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no"), Outcome: schemas.OutcomeRejected})
			require.Equal(w.T, schemas.Rejected, w.Status(1))
		},
		"pass on": func(w *mailboxtest.World, by schemas.Caller) {
			w.Updates(by, 1, schemas.ActRelease, func(in *schemas.UpdateIn) { in.To = "qa" })
			require.Equal(w.T, schemas.Address("qa"), w.FullView(1).Standing.Box)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			first, _ := attachThreeSessions(w)
			w.Sends(mailboxtest.Human, "claude-code-2", "x")
			w.Claims(first)
			do(w, first)
		})
	}
}

func TestReject_AcceptsUnclaimedMailOfSiblingSession(t *testing.T) {
	w := mailboxtest.New(t)
	first, _ := attachThreeSessions(w)
	w.Sends(mailboxtest.Human, "claude-code-2", "x")
	w.Fails(first, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no"), Outcome: schemas.OutcomeRejected})
	require.Equal(t, schemas.Rejected, w.Status(1))
}

func TestClaim_TakesMailForNameOfClient(t *testing.T) {
	w := mailboxtest.New(t)
	first := w.OpensConnection("c1", "s1")
	second := w.OpensConnection("c2", "s2")
	w.Sends(mailboxtest.Human, "claude-code", "x")
	require.Zero(t, countClaimable(w, second.Agent))
	w.Leaves(first)
	require.Equal(t, 1, countClaimable(w, second.Agent))
	require.Equal(t, schemas.ID(1), w.Claims(second).HandoffID)
}

func TestClaim_LeavesMailOfOpenSiblingSession(t *testing.T) {
	w := mailboxtest.New(t)
	first, third := attachThreeSessions(w)
	w.Sends(mailboxtest.Human, "claude-code-3", "x")
	require.Zero(t, countClaimable(w, first.Agent))
	require.True(t, w.Claims(first).Empty)
	mailboxtest.RequireRefusal(t, w.Claim, first, schemas.ClaimIn{HandoffID: "1"}, schemas.Denied, "only its recipient (claude-code-3)")

	w.Sends(mailboxtest.Human, "claude-code-2", "y")
	second := w.OpensConnection("again", "s2") // it returned
	require.True(t, w.Claims(first).Empty)
	require.Equal(t, schemas.ID(2), w.Claims(second).HandoffID)
	require.Equal(t, schemas.ID(1), w.Claims(third).HandoffID)
}

func TestClaim_LeavesMailOfAgentsWithSimilarNames(t *testing.T) {
	w := mailboxtest.New(t)
	first, _ := attachThreeSessions(w)
	for _, to := range []string{"claude-code-reviewer", "claude-code-9", "claude-codex", "claude", "qa"} {
		w.Sends(mailboxtest.Human, to, "before anybody has that name")
		w.Sends(mailboxtest.RemoteCaller(schemas.Agent(to), "1"), to, "after")
	}
	w.Pass(mailboxtest.SettleTime)
	require.Zero(t, countClaimable(w, first.Agent))
	require.True(t, w.Claims(first).Empty)
	w.Sends(mailboxtest.Human, "claude-code-2", "x")
	require.True(t, w.Claims(mailboxtest.RemoteCaller("claude-codex-2", "1")).Empty)
}

func TestClaim_LeavesPoolsAndReservationsOfSiblingSession(t *testing.T) {
	w := mailboxtest.New(t)
	first := w.OpensConnection("c1", "s1")
	second := w.OpensConnection("c2", "s2")
	w.Accepts("review", second)
	boss := w.Stdio("boss")
	w.Sends(boss, "capability:review", "x")
	require.True(t, w.Claims(first).Empty, "in the pools of the other")
	w.Claims(second)
	w.Updates(second, 1, schemas.ActAsk, mailboxtest.WithNote("which?"))
	w.Updates(boss, 1, schemas.ActAnswer, mailboxtest.WithNote("that one"))
	w.Leaves(second)
	require.True(t, w.Claims(first).Empty, "in what is reserved for the other")
	mailboxtest.RequireRefusal(t, w.Claim, first, schemas.ClaimIn{HandoffID: "1"}, schemas.Denied, "recipient")
	w.Accepts("review", first)
	_, err := w.Claim(context.Background(), first, schemas.ClaimIn{HandoffID: "1"})
	mailboxtest.RequireError(t, err, schemas.Conflict, "ho_1 is kept for claude-code-2 for another 901 s")
	w.Sends(boss, "claude-code-2", "a message", mailboxtest.Message)
	in, err := w.Inbox(context.Background(), first.Agent)
	require.NoError(t, err)
	require.Zero(t, in.Notices, "in the notices of the other")
}

func TestCountInbox_CountsMailOfAbsentSiblingOnce(t *testing.T) {
	w := mailboxtest.New(t)
	w.Leaves(w.OpensConnection("c1", "s1"))
	w.Sends(mailboxtest.Human, "claude-code", "x")
	require.Equal(t, 1, countClaimable(w, "claude-code"))
}

func TestClaim_TakesMailOfAbsentAgentNamedLikeClient(t *testing.T) {
	w, chosen := mailboxtest.NewWithAgent(t, "claude-code")
	second := w.OpensConnection("c2", "s2")
	w.Sends(mailboxtest.Human, "claude-code", "x")
	w.Pass(mailboxtest.SettleTime)
	require.Zero(t, countClaimable(w, second.Agent))
	w.Leaves(chosen)
	require.Equal(t, schemas.ID(1), w.Claims(second).HandoffID)
}

func TestClaim_TakesNoSiblingMailAtMaxOpen(t *testing.T) {
	w := mailboxtest.New(t)
	first, _ := attachThreeSessions(w)
	mailboxtest.Must(t, w.Register, first, schemas.RegisterIn{Name: "claude-code", MaxOpen: 1})
	w.Sends(mailboxtest.Human, "claude-code", "x")
	w.Claims(first)
	w.Sends(mailboxtest.Human, "claude-code-2", "y")
	require.True(t, w.Claims(first).Empty)
}

// A new owner does not know the open connections yet.
func TestClaim_TakesSiblingMailOnlyAfterSettlingTimeOfOwner(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		w.OpensConnection("c1", "s1")
		w.OpensConnection("c2", "s2")
		w.Sends(mailboxtest.Human, "claude-code", "x")
		w.Restart()
		second := w.OpensConnection("c2", "s2")
		require.True(t, w.Claims(second).Empty)
		w.OpensConnection("c1", "s1")
		w.Pass(mailboxtest.SettleTime)
		require.True(t, w.Claims(second).Empty)
	})
}

func TestClaim_TakesMailOfKilledSiblingSession(t *testing.T) {
	w := mailboxtest.New(t)
	w.OpensConnection("c1", "s1")
	w.OpensConnection("c2", "s2")
	w.Sends(mailboxtest.Human, "claude-code", "x")
	w.Restart()
	second := w.OpensConnection("c2", "s2")
	w.Pass(mailboxtest.SettleTime)
	require.Equal(t, schemas.ID(1), w.Claims(second).HandoffID)
}

func TestClaim_TakesMailOfChosenNameOnlyAfterSettlingTimeOfOwner(t *testing.T) {
	w, chosen := mailboxtest.NewWithAgent(t, "claude-code")
	w.Sends(chosen, "claude-code", "x")
	second := w.OpensConnection("c2", "s2")
	require.Equal(t, schemas.Agent("claude-code-2"), second.Agent)
	w.Pass(mailboxtest.SettleTime)
	require.True(t, w.Claims(second).Empty)
	w.Restart()
	second = w.OpensConnection("c2", "s2")
	require.True(t, w.Claims(second).Empty)
	w.Pass(mailboxtest.SettleTime)
	require.Equal(t, schemas.ID(1), w.Claims(second).HandoffID)
}

func TestLongPoll_WakesOnMailOfAbsentSiblingSession(t *testing.T) {
	chosen := schemas.Caller{Agent: "claude-code", Conn: "chosen"}
	for name, tt := range map[string]struct {
		before, while func(w *mailboxtest.World, second schemas.Caller)
	}{
		"by mail for the name of the client": {
			func(w *mailboxtest.World, _ schemas.Caller) { w.Leaves(chosen) },
			func(w *mailboxtest.World, _ schemas.Caller) { w.Sends(mailboxtest.Human, "claude-code", "x") },
		},
		"by mail for one that left": {
			func(w *mailboxtest.World, second schemas.Caller) { w.Leaves(second) },
			func(w *mailboxtest.World, _ schemas.Caller) { w.Sends(mailboxtest.Human, "claude-code-2", "x") },
		},
		"by one that leaves": {
			func(w *mailboxtest.World, _ schemas.Caller) { w.Sends(mailboxtest.Human, "claude-code-2", "x") },
			func(w *mailboxtest.World, second schemas.Caller) { w.Leaves(second) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
				mailboxtest.Must(t, w.Attach, chosen, schemas.ConnIn{Conn: chosen.Conn})
				second, third := w.OpensConnection("c2", "s2"), w.OpensConnection("c3", "s3")
				time.Sleep(mailboxtest.SettleTime)
				tt.before(w, second)
				begun := time.Now()
				got := make(chan schemas.ClaimOut)
				go func() {
					out, err := w.Claim(context.Background(), third, schemas.ClaimIn{WaitSeconds: 50})
					if err != nil {
						t.Error(err)
					}
					got <- out
				}()
				synctest.Wait() // it waits
				tt.while(w, second)
				require.Equal(t, schemas.ID(1), (<-got).HandoffID)
				require.Zero(t, time.Since(begun))
			})
		})
	}
}

// Mail for a present session goes to that session, even if its siblings have waited longer.
func TestClaim_LeavesMailToSiblingSessionThatReturned(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		first := w.OpensConnection("c1", "s1")
		second := w.OpensConnection("c2", "s2")
		w.Leaves(second)
		got := make(chan schemas.ClaimOut, 2)
		wait := func(by schemas.Caller) {
			out, err := w.Claim(context.Background(), by, schemas.ClaimIn{WaitSeconds: 50})
			if err != nil {
				t.Error(err)
			}
			if !out.Empty {
				require.Equal(t, by.Agent, w.FullView(out.HandoffID).Standing.Holder)
			}
			got <- out
		}
		go wait(first)
		synctest.Wait()
		second = w.OpensConnection("again", "s2")
		go wait(second)
		synctest.Wait()
		w.Sends(mailboxtest.Human, "claude-code-2", "x")
		require.Equal(t, schemas.ID(1), (<-got).HandoffID)
		require.Equal(t, schemas.Agent("claude-code-2"), w.FullView(1).Standing.Holder)
		require.True(t, (<-got).Empty)
	})
}

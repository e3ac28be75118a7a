package longpoll_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// runMeanwhile starts a waiting call, runs something, and requires that the call ends with it at once.
func runMeanwhile(t *testing.T, call func(), do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); call() }()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	do()
	begun := time.Now()
	<-done
	require.Zero(t, time.Since(begun))
}

// runWithTwoAgents runs a test in a bubble with a connected lead and a connected coder.
func runWithTwoAgents(t *testing.T, fn func(w *mailboxtest.World, lead, coder schemas.Caller)) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		fn(w, w.OtherSession(w.Stdio("lead"), "l"), w.OtherSession(w.Stdio("coder"), "c"))
	})
}

func TestClaim_WakesOnMessage(t *testing.T) {
	runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
		var got schemas.ClaimOut
		wait := func() { got, _ = w.Claim(context.Background(), coder, schemas.ClaimIn{WaitSeconds: 50}) }
		runMeanwhile(t, wait, func() { w.Sends(lead, "coder", "you may stop", mailboxtest.Message) })
		require.True(t, got.Empty)
		require.Equal(t, "you may stop", got.Notices[0].Text)
		w.Sends(lead, "coder", "once more", mailboxtest.Message)
		wait()
		require.Len(t, got.Notices, 1, "what was unread before ends it, too, and what was read does not come again")
		for range 12 {
			w.Sends(lead, "coder", "many", mailboxtest.Message)
		}
		wait()
		require.Len(t, got.Notices, 10)
		require.True(t, got.MoreNotices)
	})
}

func TestLongPoll_EndsOnAnyNewsForCaller(t *testing.T) {
	runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
		var got schemas.ListOut
		wait := func() { got, _ = w.List(context.Background(), lead, schemas.ListIn{Box: "notices", WaitSeconds: 50}) }
		w.Assigns(lead, coder, "x")
		runMeanwhile(t, wait, func() { w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?")) })
		require.Equal(t, "which?", got.Items[0].Text)
		runMeanwhile(t, wait, func() { w.Sends(coder, "lead", "review") })
		require.Empty(t, got.Items)
		require.True(t, got.Claimable)
		begun := time.Now()
		wait()
		require.Equal(t, 50*time.Second, time.Since(begun), "what waited before ends no wait")
		mailboxtest.RequireRefusal(t, w.List, lead, schemas.ListIn{WaitSeconds: 50}, schemas.Invalid, "wait_seconds")
	})
}

func TestLongPoll_EndsOnQuestionToCaller(t *testing.T) {
	for name, before := range map[string]bool{"asked before": true, "asked meanwhile": false} {
		t.Run(name, func(t *testing.T) {
			runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
				w.Assigns(lead, coder, "x")
				ask := func() { w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?", "when?")) }
				if before {
					ask()
					ask = func() {}
				}
				var got schemas.GetOut
				wait := func() {
					got, _ = w.Get(context.Background(), lead, schemas.GetIn{HandoffID: "1", View: "outcome", WaitSeconds: 50})
				}
				begun := time.Now()
				if before {
					wait()
					require.Zero(t, time.Since(begun))
				} else {
					runMeanwhile(t, wait, ask)
				}
				require.True(t, got.Asked)
				require.Equal(t, []string{"which?", "when?"}, got.Standing.Questions)
				in, err := w.Inbox(context.Background(), "lead")
				require.NoError(t, err)
				require.Zero(t, in.Notices, "it was shown")
			})
		})
	}
}

func TestGet_WaitsForAnswerAndClaimsAgain(t *testing.T) {
	runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
		before := w.Assigns(lead, coder, "the long task")
		w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?", "when?"))
		var got schemas.GetOut
		wait := func() { got, _ = w.Get(context.Background(), coder, schemas.GetIn{HandoffID: "1", WaitSeconds: 50}) }
		runMeanwhile(t, wait, func() { w.Updates(lead, 1, schemas.ActAnswer, mailboxtest.WithNote("1. this 2. now")) })
		require.Contains(t, got.Brief, "1. which?")
		require.Contains(t, got.Brief, "2. when?")
		require.Contains(t, got.Brief, "lead answered: 1. this 2. now")
		require.NotContains(t, got.Brief, "## Task")
		require.NotEqual(t, before.Token, got.Token)
		require.Equal(t, schemas.Accepted, w.Status(1))
		in, err := w.Inbox(context.Background(), "coder")
		require.NoError(t, err)
		require.Zero(t, in.Notices, "the answer is read")
		w.Completes(coder, 1, func(in *schemas.CompleteIn) { in.Token = got.Token })
	})
}

func TestLongPoll_IgnoresReleaseByCaller(t *testing.T) {
	runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
		w.Assigns(lead, coder, "the long task")
		w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?"))
		w.Updates(coder, 1, schemas.ActRelease)
		began := time.Now()
		mailboxtest.Must(t, w.Get, coder, schemas.GetIn{HandoffID: "1", WaitSeconds: 50})
		require.Equal(t, 50*time.Second, time.Since(began), "nothing came")
	})
}

// A session that has read the brief gets only the changes. If the task changed, or another session goes on, it gets the
// brief.
func TestClaim_AfterAnswerGivesWholeBriefToNewSession(t *testing.T) {
	for _, c := range []struct {
		name  string
		whole bool
		do    func(w *mailboxtest.World, lead schemas.Caller, coder *schemas.Caller)
	}{
		{"the session that asked", false, func(*mailboxtest.World, schemas.Caller, *schemas.Caller) {}},
		{"after an amendment", true, func(w *mailboxtest.World, lead schemas.Caller, _ *schemas.Caller) {
			w.Updates(lead, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Task: "another"}))
		}},
		{"another session", true, func(w *mailboxtest.World, _ schemas.Caller, coder *schemas.Caller) {
			*coder = w.OtherSession(*coder, "new")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
			w.Assigns(lead, coder, "the long task")
			w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("which?"))
			c.do(w, lead, &coder)
			w.Updates(lead, 1, schemas.ActAnswer, mailboxtest.WithNote("this"))
			got := w.ClaimsID(coder, 1)
			require.Contains(t, got.Brief, "this")
			require.Equal(t, c.whole, strings.Contains(got.Brief, "## Task"))
		})
	}
}

func TestGet_NamesEventThatEndedWait(t *testing.T) {
	runWithTwoAgents(t, func(w *mailboxtest.World, lead, coder schemas.Caller) {
		w.Sends(lead, "coder", "x")
		var got schemas.GetOut
		wait := func() { got, _ = w.Get(context.Background(), lead, schemas.GetIn{HandoffID: "1", WaitSeconds: 50}) }
		runMeanwhile(t, wait, func() { w.Claims(coder) })
		require.Empty(t, got.Brief)
		require.Equal(t, "claimed", got.Events[0].Action)
		runMeanwhile(t, wait, func() { w.Completes(coder, 1) })
		require.NotNil(t, got.Completion)
	})
}

func TestNews_OmitsOutcomeThatWasRead(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Assigns(lead, coder, "x")
	w.Completes(coder, 1)
	w.Sends(coder, "lead", "by the way", mailboxtest.Message)
	mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", View: "outcome"})
	told := mailboxtest.Must(t, w.News, schemas.Caller{Agent: "lead", Via: schemas.ViaCLI}, schemas.NewsIn{On: schemas.OnMail, Session: "s"})
	require.Len(t, told.New, 1)
	require.Equal(t, schemas.TypeMessage, told.New[0].Kind, "messages stay")
}

func TestLongPoll_NamesCallThatTakesAnsweredHandoff(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Assigns(lead, coder, "x")
	for by, want := range map[*schemas.Caller]bool{&coder: false, &lead: false, new(w.OtherSession(coder, "new")): true} {
		got := mailboxtest.Must(t, w.Get, *by, schemas.GetIn{HandoffID: "1"})
		require.Equal(t, want, got.MayTakeOver)
	}
}

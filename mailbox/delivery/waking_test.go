package delivery_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// pendingWait is a command that waits for mail to wake a session.
type pendingWait struct{ answer chan schemas.NewsOut }

// startWait starts a wait of at most 50 seconds.
func startWait(w *mailboxtest.World, name schemas.Agent, session string) pendingWait {
	k := pendingWait{make(chan schemas.NewsOut, 1)}
	by := schemas.Caller{Agent: name, Via: schemas.ViaCLI, Since: w.Now()}
	go func() {
		out, err := w.News(context.Background(), by, schemas.NewsIn{On: schemas.OnWake, Session: session, WaitSeconds: 50})
		if err != nil {
			w.T.Error(err)
		}
		k.answer <- out
	}()
	synctest.Wait()
	return k
}

func (k pendingWait) isWaiting() bool { return len(k.answer) == 0 }

func TestWake_WakesSessionOnce(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		k := startWait(w, "qa", "s1")
		w.Sends(mailboxtest.Human, "dev", "Not for it")
		w.Sends(mailboxtest.Human, "qa", "A message is read at the next prompt", mailboxtest.Message)
		synctest.Wait()
		require.True(t, k.isWaiting())
		w.Sends(mailboxtest.Human, "qa", "Test it")
		require.Equal(t, "ho_2", itemIDs(<-k.answer))
		again := startWait(w, "qa", "s1")
		require.True(t, again.isWaiting(), "it was woken for that")
		time.Sleep(time.Minute)
		require.Equal(t, schemas.NewsOut{Agent: "qa"}, <-again.answer)
		require.Equal(t, "no_1", itemIDs(hooksOf(w, "qa", "s1").news(schemas.OnMail)))
	})
}

// Several handoffs that arrive at once wake a session once each.
func TestWake_WakesSessionForEachHandoff(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		for range 3 {
			w.Sends(mailboxtest.Human, "qa", "Test it")
		}
		for _, want := range []string{"ho_1 ho_2 ho_3", "ho_2 ho_3", "ho_3", ""} {
			k := startWait(w, "qa", "s1")
			time.Sleep(time.Minute)
			require.Equal(t, want, itemIDs(<-k.answer))
		}
	})
}

func TestWake_EndsOlderWaitOfSession(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		first, other := startWait(w, "qa", "s1"), startWait(w, "qa", "s2")
		time.Sleep(time.Second)
		second := startWait(w, "qa", "s1")
		require.Contains(t, (<-first.answer).Over, "newer")
		require.True(t, other.isWaiting())
		w.Sends(mailboxtest.Human, "qa", "Test it")
		require.Equal(t, "ho_1", itemIDs(<-second.answer))
		require.Equal(t, "ho_1", itemIDs(<-other.answer))
	})
}

func TestWake_EndsWaitOfEndedSession(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		k := startWait(w, "qa", "s1")
		time.Sleep(time.Second)
		hooksOf(w, "qa", "s1").news(schemas.OnEnd)
		require.Contains(t, (<-k.answer).Over, "ended")
		time.Sleep(time.Second)
		require.True(t, startWait(w, "qa", "s1").isWaiting(), "it was resumed")
		time.Sleep(time.Minute)
	})
}

func TestWake_IgnoresWorkingSession(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		qa := w.Stdio("qa")
		w.Sends(mailboxtest.Human, "qa", "Test it")
		k := startWait(w, "qa", "qa-1")
		require.Equal(t, "ho_1", itemIDs(<-k.answer))
		k = startWait(w, "qa", "qa-1")
		got := w.Claims(qa)
		require.Contains(t, (<-k.answer).Over, "at work")

		w.Updates(qa, got.HandoffID, schemas.ActAsk, mailboxtest.WithNote("which one?"))
		time.Sleep(time.Second)
		k = startWait(w, "qa", "qa-1")
		require.True(t, k.isWaiting(), "it waits for an answer")
		w.Updates(mailboxtest.Human, got.HandoffID, schemas.ActAnswer, mailboxtest.WithNote("the first"))
		require.Equal(t, "answer", (<-k.answer).New[0].Kind)
	})
}

func TestWake_IgnoresHandoffDeliveredBefore(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		w.Sends(mailboxtest.Human, "qa", "Test it")
		hooksOf(w, "qa", "s1").news(schemas.OnMail)
		k := startWait(w, "qa", "s1")
		require.True(t, k.isWaiting())
		time.Sleep(time.Minute)
		require.Empty(t, (<-k.answer).New)
	})
}

package mailbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// waker is a command that waits for mail to wake a session.
type waker struct{ answer chan schemas.NewsOut }

// wakes begins to wait now, for at most 50 seconds.
func (w *world) wakes(name schemas.Agent, session string) waker {
	k := waker{make(chan schemas.NewsOut, 1)}
	by := schemas.Caller{Agent: name, Via: schemas.ViaCLI, Since: w.Now()}
	go func() {
		out, err := w.News(context.Background(), by, schemas.NewsIn{On: schemas.OnWake, Session: session, WaitSeconds: 50})
		if err != nil {
			w.t.Error(err)
		}
		k.answer <- out
	}()
	synctest.Wait()
	return k
}

func (k waker) waits() bool { return len(k.answer) == 0 }

func TestASleepingSessionIsWokenOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		k := w.wakes("qa", "s1")
		w.Sends(person, "dev", "Not for it")
		w.Sends(person, "qa", "A message is read at the next prompt", mailboxtest.Message)
		synctest.Wait()
		require.True(t, k.waits())
		w.Sends(person, "qa", "Test it")
		require.Equal(t, "ho_2", named(<-k.answer))
		again := w.wakes("qa", "s1")
		require.True(t, again.waits(), "it was woken for that")
		time.Sleep(time.Minute)
		require.Equal(t, schemas.NewsOut{Agent: "qa"}, <-again.answer)
		require.Equal(t, "no_1", named(w.hooks("qa", "s1").on(schemas.OnMail)))
	})
}

// Of several that came at once a session is woken for each in its turn.
func TestASessionIsWokenForEach(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for range 3 {
			w.Sends(person, "qa", "Test it")
		}
		for _, want := range []string{"ho_1 ho_2 ho_3", "ho_2 ho_3", "ho_3", ""} {
			k := w.wakes("qa", "s1")
			time.Sleep(time.Minute)
			require.Equal(t, want, named(<-k.answer))
		}
	})
}

func TestTheNewestWaitOfASessionEndsThoseBefore(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		first, other := w.wakes("qa", "s1"), w.wakes("qa", "s2")
		time.Sleep(time.Second)
		second := w.wakes("qa", "s1")
		require.Contains(t, (<-first.answer).Over, "newer")
		require.True(t, other.waits())
		w.Sends(person, "qa", "Test it")
		require.Equal(t, "ho_1", named(<-second.answer))
		require.Equal(t, "ho_1", named(<-other.answer))
	})
}

func TestASessionThatEndedIsNotWoken(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		k := w.wakes("qa", "s1")
		time.Sleep(time.Second)
		w.hooks("qa", "s1").on(schemas.OnEnd)
		require.Contains(t, (<-k.answer).Over, "ended")
		time.Sleep(time.Second)
		require.True(t, w.wakes("qa", "s1").waits(), "it was resumed")
		time.Sleep(time.Minute)
	})
}

func TestASessionAtWorkIsNotWoken(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		qa := w.Stdio("qa")
		w.Sends(person, "qa", "Test it")
		k := w.wakes("qa", "qa-1")
		require.Equal(t, "ho_1", named(<-k.answer))
		k = w.wakes("qa", "qa-1")
		got := w.Claims(qa)
		require.Contains(t, (<-k.answer).Over, "at work")

		w.Updates(qa, got.HandoffID, schemas.ActAsk, note("which one?"))
		time.Sleep(time.Second)
		k = w.wakes("qa", "qa-1")
		require.True(t, k.waits(), "it waits for an answer")
		w.Updates(person, got.HandoffID, schemas.ActAnswer, note("the first"))
		require.Equal(t, "answer", (<-k.answer).New[0].Kind)
	})
}

func TestAMentionedHandoffWakesNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.Sends(person, "qa", "Test it")
		w.hooks("qa", "s1").on(schemas.OnMail)
		k := w.wakes("qa", "s1")
		require.True(t, k.waits())
		time.Sleep(time.Minute)
		require.Empty(t, (<-k.answer).New)
	})
}

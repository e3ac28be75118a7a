package longpoll_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
)

func TestClaim_MakesNoTransactionWhileIdle(t *testing.T) {
	b := &countingBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		w.Sends(mailboxtest.Human, "c", "x")
		for i := range 64 {
			w.startWait(mailboxtest.RemoteCaller("b", fmt.Sprint(i)), schemas.ClaimIn{})
		}
		go func() {
			if _, err := w.Get(context.Background(), mailboxtest.Human, schemas.GetIn{HandoffID: "1", WaitSeconds: 50}); err != nil {
				t.Error(err)
			}
		}()
		time.Sleep(6 * time.Second) // until the service knows the open connections
		b.updates.Store(0)
		b.views.Store(0)
		time.Sleep(40 * time.Second)
		require.Zero(w.T, b.updates.Load()+b.views.Load())
	})
}

func TestClaim_RepeatedWaitKeepsItsEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		since time.Duration // before now
		want  time.Duration
	}{
		{"taken up again", 20 * time.Second, 30 * time.Second},
		{"taken up too late", time.Hour, 0},
		{"by a clock that is ahead", -time.Hour, 50 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
				by := mailboxtest.RemoteCaller("b", "1")
				by.Since = time.Now().Add(-c.since)
				w.startWait(by, schemas.ClaimIn{})
				w.Sends(mailboxtest.Human, "c", "x")
				begun := time.Now()
				mailboxtest.Must(w.T, w.Get, by, schemas.GetIn{HandoffID: "1", View: "outcome", WaitSeconds: 50})
				require.Equal(w.T, c.want, time.Since(begun))
				synctest.Wait()
				require.Equal(w.T, c.want, w.waitDurations()["1"])
			})
		})
	}
}

func TestClaim_EndsEachCallOfLongWaitAtItsLimit(t *testing.T) {
	for _, c := range []struct {
		name        string
		since, want time.Duration // before now, from now
		until       time.Duration // from now
	}{
		{"after the first", time.Hour, 50 * time.Second, 50 * time.Second},
		{"the last", time.Hour, 7 * time.Second, 7 * time.Second},
		{"the first", 0, 20 * time.Second, 20 * time.Second},
		{"taken up too late", time.Hour, 0, -time.Second},
		{"by a clock that was set back", -time.Hour, 50 * time.Second, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
				by := mailboxtest.RemoteCaller("b", "1")
				by.Since, by.Until = time.Now().Add(-c.since), time.Now().Add(c.until)
				w.startWait(by, schemas.ClaimIn{})
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Equal(w.T, c.want, w.waitDurations()["1"])
			})
		})
	}
}

func TestClaim_KeepsQueuePositionBetweenCallsOfLongWait(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		begun := time.Now()
		time.Sleep(time.Hour)
		w.startWait(mailboxtest.RemoteCaller("b", "young"), schemas.ClaimIn{})
		old := mailboxtest.RemoteCaller("b", "old")
		old.Since, old.Until = begun, time.Now().Add(50*time.Second)
		w.startWait(old, schemas.ClaimIn{})
		time.Sleep(49 * time.Second)
		w.Sends(mailboxtest.Human, "b", "x")
		synctest.Wait()
		require.Equal(w.T, map[schemas.ID]string{1: "old"}, w.takenHandoffs())
	})
}

func TestGet_MissesNoChangeBetweenCallsOfLongWait(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		a := mailboxtest.RemoteCaller("a", "")
		w.Sends(a, "b", "x")
		time.Sleep(time.Second)
		a.Since = time.Now()
		time.Sleep(time.Second)
		w.Claims(mailboxtest.RemoteCaller("b", "")) // while no process served the wait
		time.Sleep(time.Second)
		begun := time.Now()
		out := mailboxtest.Must(w.T, w.Get, a, schemas.GetIn{HandoffID: "1", WaitSeconds: 50})
		require.Equal(w.T, schemas.Accepted, out.Status)
		require.Zero(w.T, time.Since(begun))
	})
}

func TestClaim_WakesAtEndOfDelayOfLaterHandoff(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{})
		w.startWait(mailboxtest.RemoteCaller("b", "2"), schemas.ClaimIn{})
		time.Sleep(6 * time.Second)
		w.Sends(mailboxtest.Human, "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "10s"} })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(w.T, 16*time.Second, w.waitDurations()["1"])
		require.NotContains(w.T, w.waitDurations(), "2")
	})
}

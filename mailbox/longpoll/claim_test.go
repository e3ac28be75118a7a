package longpoll_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// newLivingWorld is a world with a running clock, inside a bubble.
func newLivingWorld(t testing.TB, b store.Backend) *mailboxtest.World {
	return mailboxtest.New(t, mailboxtest.InBackend(b), mailboxtest.LiveClock)
}

func claimDuring(t *testing.T, prepare func(w *mailboxtest.World, a, b schemas.Caller), do func(w *mailboxtest.World, a, b schemas.Caller)) (got schemas.ClaimOut, took time.Duration) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		a, b := w.Stdio("a"), w.OtherSession(w.Stdio("b"), "waiting")
		prepare(w, a, b)
		begun := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			var err error
			if got, err = w.Claim(context.Background(), b, schemas.ClaimIn{WaitSeconds: 50}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait() // b waits
		do(w, a, b)
		<-done
		took = time.Since(begun)
	})
	return got, took
}

func doNothing(*mailboxtest.World, schemas.Caller, schemas.Caller) {}

func TestClaim_WakesOnClaimableWork(t *testing.T) {
	held := mailboxtest.RemoteCaller("b", "1")
	for name, c := range map[string]struct {
		prepare, do func(w *mailboxtest.World, a, b schemas.Caller)
	}{
		"on a send": {doNothing, func(w *mailboxtest.World, a, _ schemas.Caller) { w.Sends(a, "b", "x") }},
		"on a release": {func(w *mailboxtest.World, a, _ schemas.Caller) {
			w.Sends(a, "b", "x")
			w.Claims(held)
		}, func(w *mailboxtest.World, _, _ schemas.Caller) { w.Updates(mailboxtest.Human, 1, schemas.ActRelease) }},
		"on a capability": {
			func(w *mailboxtest.World, a, _ schemas.Caller) { w.Sends(a, "capability:review", "x") },
			func(w *mailboxtest.World, _, b schemas.Caller) { w.Accepts("review", b) },
		},
		"on an approval": {
			func(w *mailboxtest.World, a, _ schemas.Caller) { w.Sends(a, "b", "x", mailboxtest.NeedsApproval) },
			func(w *mailboxtest.World, _, _ schemas.Caller) { w.Updates(mailboxtest.Human, 1, schemas.ActApprove) },
		},
		"on the end of what it waited for": {func(w *mailboxtest.World, a, _ schemas.Caller) {
			c := w.Stdio("c")
			w.Assigns(a, c, "first")
			w.Sends(a, "b", "second", mailboxtest.NoParent, mailboxtest.After("1"))
		}, func(w *mailboxtest.World, _, _ schemas.Caller) { w.Completes(w.Stdio("c"), 1) }},
		"on a redirection": {
			func(w *mailboxtest.World, a, _ schemas.Caller) { w.Sends(a, "c", "x") },
			func(w *mailboxtest.World, a, _ schemas.Caller) {
				w.Updates(a, 1, schemas.ActAmend, func(in *schemas.UpdateIn) { in.To = "b" })
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, took := claimDuring(t, c.prepare, c.do)
			require.NotZero(t, got.HandoffID)
			require.Zero(t, took)
		})
	}
}

func TestClaim_WakesAtEndOfDelay(t *testing.T) {
	got, took := claimDuring(t, func(w *mailboxtest.World, a, _ schemas.Caller) {
		w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "10s"} })
	}, doNothing)
	require.Equal(t, schemas.ID(1), got.HandoffID)
	require.Equal(t, 10*time.Second, took)
}

func TestClaim_EndsEmptyAfterWait(t *testing.T) {
	got, took := claimDuring(t, doNothing, func(w *mailboxtest.World, a, _ schemas.Caller) { w.Sends(a, "c", "for another") })
	require.True(t, got.Empty)
	require.Equal(t, 50*time.Second, took)
}

// countingBackend counts the transactions of a backend.
type countingBackend struct {
	store.Backend
	updates, views atomic.Int64
}

func (b *countingBackend) View(ctx context.Context, fn func(store.Reader) error) error {
	b.views.Add(1)
	return b.Backend.View(ctx, fn)
}

func (b *countingBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	b.updates.Add(1)
	return b.Backend.Update(ctx, fn)
}

func TestClaim_SleepsDespiteDamagedHandoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &countingBackend{Backend: memory.New()}
		w := newLivingWorld(t, b)
		w.Sends(w.Stdio("a"), "c", "x", func(in *schemas.SendIn) { in.Deadline = "1s" })
		mailboxtest.DamageRecord(t, b, 1)
		time.Sleep(2 * time.Second) // in the bubble, it is due
		b.updates.Store(0)
		got := mailboxtest.Must(t, w.Claim, w.Stdio("b"), schemas.ClaimIn{WaitSeconds: 50})
		require.True(t, got.Empty)
		require.LessOrEqual(t, b.updates.Load(), int64(7))
	})
}

func TestClaim_WakesForHandoffDueDuringLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lateBackend{mailboxtest.Backends["memory"](t)}
		w := newLivingWorld(t, b)
		began := time.Now()
		got := make(chan schemas.ClaimOut)
		go func() {
			out, err := w.Claim(context.Background(), mailboxtest.RemoteCaller("b", ""), schemas.ClaimIn{WaitSeconds: 50})
			if err != nil {
				t.Error(err)
			}
			got <- out
		}()
		time.Sleep(10 * time.Second) // it waits
		w.Sends(mailboxtest.RemoteCaller("a", ""), "b", "x", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "1s"} })
		require.Equal(t, schemas.ID(1), (<-got).HandoffID)
		require.Less(t, time.Since(began), 30*time.Second)
	})
}

// lateBackend is a backend with slow reads.
type lateBackend struct{ store.Backend }

func (b lateBackend) View(ctx context.Context, fn func(store.Reader) error) error {
	time.Sleep(time.Second)
	return b.Backend.View(ctx, fn)
}

func TestGet_WakesOnChange(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		a, b := w.Stdio("a"), w.Stdio("b")
		w.Sends(a, "b", "x")
		begun := time.Now()
		done := make(chan schemas.GetOut)
		go func() {
			out, err := w.Get(context.Background(), a, schemas.GetIn{HandoffID: "1", WaitSeconds: 50})
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
		synctest.Wait()
		w.Sends(a, "b", "of no interest")
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("woke for another handoff")
		default:
		}
		w.Claims(b)
		require.Equal(t, schemas.Accepted, (<-done).Status)
		require.Zero(t, time.Since(begun))
	})
}

func TestGet_ReturnsAtOnceForEndedWork(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		a := w.Stdio("a")
		w.Sends(a, "b", "x")
		w.Updates(a, 1, schemas.ActCancel)
		begun := time.Now()
		out := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: "1", WaitSeconds: 50})
		require.Equal(t, schemas.Cancelled, out.Status)
		require.Zero(t, time.Since(begun))
	})
}

package longpoll_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// waitLog holds the waits for work in a bubble.
type waitLog struct {
	*mailboxtest.World

	mu    sync.Mutex               // guards the fields below
	taken map[schemas.ID]string    // by which instance
	ended map[string]time.Duration // how long the wait of an instance lasted
}

func (w *waitLog) takenHandoffs() map[schemas.ID]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.taken)
}

func (w *waitLog) waitDurations() map[string]time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.ended)
}

// runWaits runs a test whose time advances only while all goroutines wait, and lets all waits end.
func runWaits(t *testing.T, open func(testing.TB) store.Backend, fn func(w *waitLog)) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			time.Sleep(time.Minute)
			synctest.Wait()
		}()
		fn(&waitLog{World: newLivingWorld(t, open(t)), taken: map[schemas.ID]string{}, ended: map[string]time.Duration{}})
	})
}

func openBackend(b store.Backend) func(testing.TB) store.Backend {
	return func(testing.TB) store.Backend { return b }
}

// startWait begins a wait and returns when it has begun.
func (w *waitLog) startWait(by schemas.Caller, in schemas.ClaimIn) (cancel context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	if in.WaitSeconds == 0 {
		in.WaitSeconds = 50
	}
	begun := time.Now()
	go func() {
		out, err := w.Claim(ctx, by, in)
		if err != nil && ctx.Err() == nil {
			w.T.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.taken[out.HandoffID], w.ended[by.AgentID] = by.AgentID, time.Since(begun)
	}()
	synctest.Wait()
	return cancel
}

func TestClaim_ServesLongestWaitFirst(t *testing.T) {
	for name, open := range mailboxtest.Backends {
		t.Run(name, func(t *testing.T) {
			runWaits(t, open, func(w *waitLog) {
				begun := time.Now()
				for _, i := range rand.Perm(64) {
					by := mailboxtest.RemoteCaller("b", fmt.Sprint(i))
					by.Since = begun.Add(time.Duration(i-64) * time.Millisecond)
					w.startWait(by, schemas.ClaimIn{})
				}
				for i := range 64 {
					id := w.Sends(mailboxtest.Human, "b", fmt.Sprint(i), mailboxtest.NoParent).HandoffID
					synctest.Wait()
					require.Equal(w.T, fmt.Sprint(i), w.takenHandoffs()[id])
				}
			})
		})
	}
}

func TestClaim_GivesEachOfManyWaitersOneHandoff(t *testing.T) {
	for name, open := range mailboxtest.Backends {
		t.Run(name, func(t *testing.T) {
			w := newLivingWorld(t, open(t))
			var all sync.WaitGroup
			var got sync.Map
			for i := range 64 {
				all.Go(func() {
					out, err := w.Claim(context.Background(), mailboxtest.RemoteCaller("b", fmt.Sprint(i)), schemas.ClaimIn{WaitSeconds: 50})
					if _, twice := got.LoadOrStore(out.HandoffID, i); err != nil || out.Empty || twice {
						t.Error(out.HandoffID, err)
					}
				})
			}
			for i := range 8 {
				all.Go(func() {
					for range 8 {
						if _, err := w.Send(context.Background(), mailboxtest.RemoteCaller("a", fmt.Sprint(i)), schemas.SendIn{To: "b", Task: "x"}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
		})
	}
}

func TestClaim_WakesOneWaiterForOneHandoff(t *testing.T) {
	b := &countingBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		for i := range 64 {
			w.startWait(mailboxtest.RemoteCaller("b", fmt.Sprint(i)), schemas.ClaimIn{})
		}
		b.updates.Store(0)
		w.Sends(mailboxtest.Human, "b", "x")
		synctest.Wait()
		require.Len(w.T, w.takenHandoffs(), 1)
		require.EqualValues(w.T, 2, b.updates.Load(), "the send and one claim")

		b.updates.Store(0)
		w.Sends(mailboxtest.Human, "b", "y", mailboxtest.NeedsApproval)
		synctest.Wait()
		require.EqualValues(w.T, 1, b.updates.Load(), "nobody may take it yet")
	})
}

func TestClaim_WakesOneWaiterForEachHandoff(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		for range 10 { // applied in one transaction
			w.Sends(mailboxtest.Human, "b", "x", mailboxtest.NoParent, func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "20s"} })
		}
		for i := range 10 {
			w.startWait(mailboxtest.RemoteCaller("b", fmt.Sprint(i)), schemas.ClaimIn{})
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		require.Len(w.T, w.takenHandoffs(), 10)
	})
}

func TestSend_TellsWaitingAgentFirst(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		w.Accepts("review", w.Stdio("a"), w.Stdio("b"), mailboxtest.RemoteCaller("c", ""))
		w.startWait(mailboxtest.RemoteCaller("c", "1"), schemas.ClaimIn{})
		out := w.Sends(mailboxtest.Human, "capability:review", "x")
		require.Equal(w.T, schemas.Agent("c"), out.Routed.Chosen)
		require.Equal(w.T, "accepts review, 0 open, waits for work", out.Routed.Candidates[0].Why)
	})
}

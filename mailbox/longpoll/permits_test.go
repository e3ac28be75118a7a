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
	"handoff/store"
	"handoff/store/memory"
)

// uncertainBackend is a backend that keeps the next write and reports that the disk is full.
type uncertainBackend struct {
	store.Backend
	next bool
}

func (b *uncertainBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	full := b.next
	b.next = false
	if err := b.Backend.Update(ctx, fn); err != nil || !full {
		return err
	}
	return store.ErrFull
}

func TestClaim_WakesIfResultOfCommitIsUnknown(t *testing.T) {
	b := &uncertainBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{})
		b.next = true
		mailboxtest.RequireRefusal(w.T, w.Send, mailboxtest.Human, schemas.SendIn{To: "b", Task: "x"}, schemas.Unavailable, "full")
		synctest.Wait()
		require.Equal(w.T, "1", w.takenHandoffs()[1])
	})
}

func TestClaim_PassesUnsuitableWorkToNextWaiter(t *testing.T) {
	send := func(w *waitLog) { w.Sends(mailboxtest.Human, "capability:review", "y", mailboxtest.NoParent) }
	for name, c := range map[string]struct {
		prepare, do func(w *waitLog)
		tags        []string // of the first waiter
	}{
		"it has other tags": {func(*waitLog) {}, send, []string{"sql"}},
		"it declined": {func(w *waitLog) {
			w.Sends(mailboxtest.Human, "capability:review", "x")
			w.Fails(mailboxtest.RemoteCaller("b", ""), schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no"), Outcome: schemas.OutcomeRejected})
			w.Claims(mailboxtest.RemoteCaller("c", "before"))
		}, func(w *waitLog) { w.Updates(mailboxtest.Human, 1, schemas.ActRelease) }, nil},
		"it holds as many as it takes": {func(w *waitLog) {
			mailboxtest.Must(w.T, w.Register, mailboxtest.Human, schemas.RegisterIn{Name: "b", MaxOpen: 1})
			w.Sends(mailboxtest.Human, "b", "x")
			w.Claims(mailboxtest.RemoteCaller("b", "before"))
		}, send, nil},
	} {
		t.Run(name, func(t *testing.T) {
			runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
				w.Accepts("review", mailboxtest.RemoteCaller("b", ""), mailboxtest.RemoteCaller("c", ""))
				c.prepare(w)
				w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{Tags: c.tags})
				w.startWait(mailboxtest.RemoteCaller("c", "2"), schemas.ClaimIn{})
				c.do(w)
				synctest.Wait()
				require.Contains(w.T, w.waitDurations(), "2")
				require.NotContains(w.T, w.waitDurations(), "1")
			})
		})
	}
}

func TestClaim_WakesAgentAtLimitOnceItHoldsLess(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		b := mailboxtest.RemoteCaller("b", "")
		mailboxtest.Must(w.T, w.Register, b, schemas.RegisterIn{Name: "b", Accepts: []string{"review"}, MaxOpen: 1})
		held := w.Assigns(mailboxtest.Human, b, "x")
		w.Sends(mailboxtest.Human, "capability:review", "y", mailboxtest.NoParent)
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{})
		require.Empty(w.T, w.takenHandoffs())
		w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Token = held.Token })
		synctest.Wait()
		require.Equal(w.T, "1", w.takenHandoffs()[2])
	})
}

func TestRegister_WakesEachWaiterOfAgent(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		for i := range 3 {
			w.Sends(mailboxtest.Human, "capability:review", fmt.Sprint(i), mailboxtest.NoParent)
			w.startWait(mailboxtest.RemoteCaller("b", fmt.Sprint(i)), schemas.ClaimIn{})
		}
		w.Accepts("review", mailboxtest.RemoteCaller("b", ""))
		synctest.Wait()
		require.Len(w.T, w.takenHandoffs(), 3)
	})
}

// A waiter with permits for two mailboxes takes one handoff; the other goes to the next waiter.
func TestClaim_PassesWorkOfSecondMailboxToNextWaiter(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		w.Accepts("review", mailboxtest.RemoteCaller("b", ""), mailboxtest.RemoteCaller("c", ""))
		for _, to := range []string{"b", "capability:review"} { // applied in one transaction
			w.Sends(mailboxtest.Human, to, "x", mailboxtest.NoParent, func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "20s"} })
		}
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{})
		w.startWait(mailboxtest.RemoteCaller("c", "2"), schemas.ClaimIn{})
		time.Sleep(20 * time.Second)
		synctest.Wait()
		require.Equal(w.T, map[schemas.ID]string{1: "1", 2: "2"}, w.takenHandoffs())
	})
}

func TestClaim_PassesPermitOnWhenCancelled(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		cancel := w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{})
		w.startWait(mailboxtest.RemoteCaller("b", "2"), schemas.ClaimIn{})
		b.Then = []func(){cancel} // the send is committed and not announced yet
		w.Sends(mailboxtest.Human, "b", "x")
		synctest.Wait()
		require.Equal(w.T, "2", w.takenHandoffs()[1])
	})
}

// hookedBackend is a backend that runs first before its next Update.
type hookedBackend struct {
	store.Backend
	first func()
}

func (b *hookedBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	if first := b.first; first != nil {
		b.first = nil
		first()
	}
	return b.Backend.Update(ctx, fn)
}

// A waiter that looks on joining may take mail that was announced before. Mail that is announced to it meanwhile is for
// others.
func TestClaim_PassesWorkSentDuringLookupToNextWaiter(t *testing.T) {
	b := &hookedBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		w.Sends(mailboxtest.Human, "b", "x", func(in *schemas.SendIn) { in.Tags = []string{"sql"} })
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{Tags: []string{"go"}})
		b.first = func() { // it is in the list, ahead of the other, and has not looked
			w.Sends(mailboxtest.Human, "b", "y", mailboxtest.NoParent, func(in *schemas.SendIn) { in.Tags = []string{"go"} })
		}
		ahead := mailboxtest.RemoteCaller("b", "2")
		ahead.Since = time.Now().Add(-time.Minute)
		w.startWait(ahead, schemas.ClaimIn{WaitSeconds: 110})
		require.Equal(w.T, map[schemas.ID]string{1: "2", 2: "1"}, w.takenHandoffs())
	})
}

// A waiter that moves to other lists and gets a permit at the same time still uses the permit.
func TestRegister_KeepsPermitsOfWaiterThatChangesMailboxes(t *testing.T) {
	b := &mailboxtest.ScriptedBackend{Backend: memory.New()}
	runWaits(t, openBackend(b), func(w *waitLog) {
		w.Accepts("review", mailboxtest.RemoteCaller("b", ""), mailboxtest.RemoteCaller("c", ""))
		w.startWait(mailboxtest.RemoteCaller("b", "1"), schemas.ClaimIn{Tags: []string{"go"}})
		w.startWait(mailboxtest.RemoteCaller("c", "2"), schemas.ClaimIn{})
		b.Then = []func(){func() { w.Sends(mailboxtest.Human, "capability:review", "x") }} // not announced yet
		mailboxtest.Must(w.T, w.Register, mailboxtest.Human, schemas.RegisterIn{Name: "b", Accepts: []string{"review", "design"}})
		synctest.Wait()
		require.Equal(w.T, "2", w.takenHandoffs()[1])
	})
}

// A new process knows only after a moment which mail is orphaned.
func TestClaim_WakesOnOrphanedMailAfterRestart(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		w.OpensConnection("c1", "s1")
		w.OpensConnection("c2", "s2")
		w.Sends(mailboxtest.Human, "claude-code", "x")
		w.Restart()
		second := w.OpensConnection("c2", "s2")
		w.startWait(second, schemas.ClaimIn{})
		time.Sleep(mailboxtest.SettleTime)
		synctest.Wait()
		require.Equal(w.T, map[schemas.ID]string{1: second.AgentID}, w.takenHandoffs())
	})
}

func TestClaim_WakesWhenSiblingSessionEnds(t *testing.T) {
	runWaits(t, mailboxtest.Backends["memory"], func(w *waitLog) {
		b := w.Stdio("b")
		w.Assigns(mailboxtest.Human, b, "x")
		w.startWait(w.OtherSession(b, "again"), schemas.ClaimIn{})
		w.Leaves(b)
		synctest.Wait()
		require.Equal(w.T, map[schemas.ID]string{1: "again"}, w.takenHandoffs())
	})
}

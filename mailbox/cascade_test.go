package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// breaking is a store that keeps a number of updates and refuses those after them, as if the process ended; with
// no number it keeps all.
type breaking struct {
	store.Backend
	keeps *int
	wait  func() // is done before the next update, once
}

func (b *breaking) Update(ctx context.Context, fn func(store.Writer) error) error {
	if wait := b.wait; wait != nil {
		b.wait = nil
		wait()
	}
	if b.keeps != nil {
		if *b.keeps--; *b.keeps < 0 {
			return errors.New("the process ended")
		}
	}
	return b.Backend.Update(ctx, fn)
}

func (b *breaking) after(updates int) { b.keeps = &updates }
func (b *breaking) never()            { b.keeps = nil }

// waiting sends many handoffs that wait for the first one.
func waiting(w *world, n int) (a, b schemas.Caller) {
	a, b = w.Stdio("a"), w.Stdio("b")
	w.Sends(a, "b", "first")
	for i := range n {
		w.Sends(a, "c", fmt.Sprint("then ", i), mailboxtest.NoParent, mailboxtest.After("1"))
	}
	return a, b
}

// actions are those that are recorded about a handoff, oldest first.
func (w *world) actions(id schemas.ID) (all []string) {
	w.t.Helper()
	require.NoError(w.t, w.Store.View(w.t.Context(), func(v *store.View) error {
		all = nil
		for e, err := range v.EventsAfter(0) {
			if err != nil {
				return err
			}
			if e.Handoff == id {
				all = append(all, e.Action)
			}
		}
		return nil
	}))
	return all
}

func (w *world) waitFor(id schemas.ID) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.Store.View(w.t.Context(), func(v *store.View) error {
		n = 0
		for other, err := range v.Oldest(store.WaitingFor(id), 0) {
			if err != nil {
				return err
			}
			r, err := v.Record(other)
			if err != nil {
				return err
			}
			if slices.Contains(r.After, id) {
				n++
			}
		}
		return nil
	}))
	return n
}

func TestACompletionLetsMoreGoOnThanOneTransactionCarries(t *testing.T) {
	w := newWorld(t)
	_, b := waiting(w, 1100)
	w.Claims(b)
	w.Completes(b, 1)
	require.Equal(t, 1100, w.Pending("c"))
	require.Zero(t, w.waitFor(1))
	require.Equal(t, []string{"sent", "claimed", "completed", "deferred", "resumed"}, w.actions(1))
}

func TestWhatWasPutOffIsDoneByTheNextCallAfterTheProcessEnded(t *testing.T) {
	disk := &breaking{Backend: memory.New()}
	w := newWorldOn(t, disk)
	a, b := waiting(w, 1100)
	w.Claims(b)
	disk.after(1)
	w.Completes(b, 1)
	require.Equal(t, 1000, w.Pending("c"))
	require.Equal(t, 100, w.waitFor(1))

	disk.never()
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	require.Equal(t, 1100, w.Pending("c"))
}

func TestWhatFollowsIsCarriedOutForSoLongInOneCall(t *testing.T) {
	var step time.Duration
	w := newWorld(t, ticking(&step))
	_, b := waiting(w, 3100)
	w.Claims(b)
	step = 200 * time.Millisecond
	w.Completes(b, 1)
	require.Equal(t, 100, w.waitFor(1))
	w.handoffs()
	require.Zero(t, w.waitFor(1))
}

func TestEachOfManyThatWaitForACancelledOneIsToldOnce(t *testing.T) {
	disk := &breaking{Backend: memory.New()}
	w := newWorldOn(t, disk)
	a, _ := waiting(w, 1100)
	disk.after(1)
	w.Updates(person, 1, schemas.ActCancel)
	require.Len(t, w.told(a), 1001) // of the cancelled one, and of those that waited for it

	disk.never()
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	told := w.told(a)
	require.Len(t, told, 1101)
	for id, times := range told {
		require.Equal(t, 1, times, "%s", id)
	}
}

// told is how many notices an agent has about each handoff.
func (w *world) told(by schemas.Caller) (times map[schemas.ID]int) {
	w.t.Helper()
	require.NoError(w.t, w.Store.View(w.t.Context(), func(v *store.View) error {
		times = map[schemas.ID]int{}
		for n, err := range v.Notices(by.Agent, 0) {
			if err != nil {
				return err
			}
			times[n.About]++
		}
		return nil
	}))
	return times
}

func TestWhoWaitsForARetryThatEndedBeforeAllWereMovedGoesOn(t *testing.T) {
	disk := &breaking{Backend: memory.New()}
	w := newWorldOn(t, disk)
	a, b := waiting(w, 3100)
	w.Claims(b)
	w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d"), Then: schemas.ThenStop})
	disk.after(1)
	again := w.Updates(a, 1, schemas.ActRetry).Created
	require.Equal(t, 1000, w.waitFor(again))
	disk.after(1)
	require.Equal(t, again, w.Claims(b).HandoffID)
	disk.after(1)
	w.Completes(b, again)
	disk.never()
	w.Claims(b)
	require.Zero(t, w.waitFor(1))
	require.Zero(t, w.waitFor(again))
	require.Equal(t, 3100, w.Pending("c"))
	told := w.told(a)
	require.Equal(t, 1, told[1])
	require.Equal(t, 1, told[again])
}

func TestPartsOfAFailureThatAreTooManyAreCancelledAfterIt(t *testing.T) {
	w := newWorldOn(t, memory.New())
	a, b := w.Stdio("a"), w.Stdio("b")
	w.Assigns(a, b, "x")
	for i := range 1100 {
		w.Sends(b, "c", fmt.Sprint("part ", i))
	}
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")})
	require.Equal(t, schemas.ID(1102), out.RollbackHandoff)
	require.Zero(t, w.Pending("c"))
	require.Equal(t, out.RollbackHandoff, w.Full(1).Standing.Successor)
}

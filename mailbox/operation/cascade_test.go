package operation_test

import (
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

// sendDependents sends many handoffs that depend on the first one.
func sendDependents(w *mailboxtest.World, n int) (a, b schemas.Caller) {
	a, b = w.Stdio("a"), w.Stdio("b")
	w.Sends(a, "b", "first")
	for i := range n {
		w.Sends(a, "c", fmt.Sprint("then ", i), mailboxtest.NoParent, mailboxtest.After("1"))
	}
	return a, b
}

func countDependents(w *mailboxtest.World, id schemas.ID) (n int) {
	w.T.Helper()
	require.NoError(w.T, w.Store.View(w.T.Context(), func(v *store.View) error {
		n = 0
		for other, err := range v.OldestFirst(store.IndexByDependency(id), 0) {
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

func TestComplete_UnblocksMoreDependentsThanOneTransactionAllows(t *testing.T) {
	w := mailboxtest.New(t)
	_, b := sendDependents(w, 1100)
	w.Claims(b)
	w.Completes(b, 1)
	require.Equal(t, 1100, w.CountPending("c"))
	require.Zero(t, countDependents(w, 1))
	require.Equal(t, []string{"sent", "claimed", "completed", "deferred", "resumed"}, w.EventActions(1))
}

func TestConsequences_ContinueAfterProcessEnds(t *testing.T) {
	disk := &mailboxtest.BreakingBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(disk))
	a, b := sendDependents(w, 1100)
	w.Claims(b)
	disk.BreakAfter(1)
	w.Completes(b, 1)
	require.Equal(t, 1000, w.CountPending("c"))
	require.Equal(t, 100, countDependents(w, 1))

	disk.Repair()
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	require.Equal(t, 1100, w.CountPending("c"))
}

func TestConsequences_StopAfterTimeLimitOfCall(t *testing.T) {
	var step time.Duration
	w := mailboxtest.New(t, withTickingClock(&step))
	_, b := sendDependents(w, 3100)
	w.Claims(b)
	step = 200 * time.Millisecond
	w.Completes(b, 1)
	require.Equal(t, 1100, countDependents(w, 1))
	for range 2 { // any calls
		mailboxtest.Must(t, w.Overview, mailboxtest.Human, schemas.OverviewIn{})
	}
	require.Zero(t, countDependents(w, 1))
}

func TestCancel_NotifiesOnceForEachDependent(t *testing.T) {
	disk := &mailboxtest.BreakingBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(disk))
	a, _ := sendDependents(w, 1100)
	disk.BreakAfter(1)
	w.Updates(mailboxtest.Human, 1, schemas.ActCancel)
	require.Len(t, countNotices(w, a), 1001) // of the cancelled handoff, and of its dependents

	disk.Repair()
	mailboxtest.Must(t, w.Agents, a, schemas.AgentsIn{})
	told := countNotices(w, a)
	require.Len(t, told, 1101)
	for id, times := range told {
		require.Equal(t, 1, times, "%s", id)
	}
}

// countNotices returns how many notices an agent has about each handoff.
func countNotices(w *mailboxtest.World, by schemas.Caller) (times map[schemas.ID]int) {
	w.T.Helper()
	require.NoError(w.T, w.Store.View(w.T.Context(), func(v *store.View) error {
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

func TestRetry_UnblocksDependentsAfterInterruptedConsequences(t *testing.T) {
	disk := &mailboxtest.BreakingBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(disk))
	a, b := sendDependents(w, 3100)
	w.Claims(b)
	w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d"), Then: schemas.ThenStop})
	disk.BreakAfter(1)
	again := w.Updates(a, 1, schemas.ActRetry).Created
	require.Equal(t, 1000, countDependents(w, again))
	disk.BreakAfter(1)
	require.Equal(t, again, w.Claims(b).HandoffID)
	disk.BreakAfter(1)
	w.Completes(b, again)
	disk.Repair()
	w.Claims(b)
	require.Zero(t, countDependents(w, 1))
	require.Zero(t, countDependents(w, again))
	require.Equal(t, 3100, w.CountPending("c"))
	told := countNotices(w, a)
	require.Equal(t, 1, told[1])
	require.Equal(t, 1, told[again])
}

func TestFail_CancelsMorePartsThanOneTransactionAllows(t *testing.T) {
	w := mailboxtest.New(t, mailboxtest.InBackend(memory.New()))
	a, b := w.Stdio("a"), w.Stdio("b")
	w.Assigns(a, b, "x")
	for i := range 1100 {
		w.Sends(b, "c", fmt.Sprint("part ", i))
	}
	out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("d")})
	require.Equal(t, schemas.ID(1102), out.RollbackHandoff)
	require.Zero(t, w.CountPending("c"))
	require.Equal(t, out.RollbackHandoff, w.FullView(1).Standing.Successor)
}

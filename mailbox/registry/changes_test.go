package registry_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/life"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// collectChanges reads events after a number until it has seen n.
func collectChanges(w *mailboxtest.World, after uint64, n int) (seen []uint64) {
	w.T.Helper()
	for c, err := range w.Changes(context.Background(), after) {
		require.NoError(w.T, err)
		if seen = append(seen, c.N); len(seen) == n {
			break
		}
	}
	return seen
}

func TestChanges_ResumeWithoutGap(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	for range 200 { // more than one snapshot reads
		id := w.Sends(a, "b", "x", mailboxtest.NoParent).HandoffID
		w.Claims(b)
		w.Completes(b, id)
	}
	all := collectChanges(w, 0, 600)
	for i, n := range all {
		require.Equal(t, uint64(i+1), n)
	}
	require.Equal(t, all[250:], collectChanges(w, 250, 350))
}

func TestChanges_WaitForNextEvent(t *testing.T) {
	mailboxtest.RunInBubble(t, func(t *testing.T, w *mailboxtest.World) {
		a := w.Stdio("a")
		w.Sends(a, "b", "x")
		ctx, cancel := context.WithCancel(context.Background())
		events := make(chan schemas.RegistryChange, 10)
		done := make(chan error)
		go func() {
			for c, err := range w.Changes(ctx, 1) {
				if err != nil {
					done <- err
					return
				}
				events <- c
			}
		}()
		synctest.Wait()
		require.Empty(t, events)
		w.Sends(a, "b", "y")
		got := <-events
		require.Equal(t, uint64(2), got.N)
		require.Equal(t, schemas.Address("b"), got.Box)
		cancel()
		require.Error(t, <-done)
		require.Empty(t, events)
	})
}

// A message has no record, so its event belongs to no handoff. The event keeps the whole message.
func TestChanges_IncludeMessageWithoutHandoff(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "The staging server is down", mailboxtest.Message)
	require.NoError(t, w.Store.View(t.Context(), func(v *store.View) error {
		e, err := v.Event(1)
		require.NoError(t, err)
		require.Equal(t, string(life.Message), e.Action)
		require.Zero(t, e.Handoff)
		require.Equal(t, a.Agent, e.Agent)
		require.Equal(t, a.AgentID, e.AgentID)
		require.Equal(t, a.Via, e.Via)
		require.Equal(t, mailboxtest.StartTime(), e.At)
		var h schemas.Handoff
		require.NoError(t, v.DecodeContent(0, 1, &h))
		require.Equal(t, "The staging server is down", h.Task)
		n, err := v.EventCount()
		require.Equal(t, uint64(1), n)
		return err
	}))
}

func TestChanges_NameMailboxAndHolder(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	w.Sends(a, "b", "x")
	w.Assigns(a, b, "Mind the gap", mailboxtest.Message)
	var told []string
	for c, err := range w.Changes(t.Context(), 0) {
		require.NoError(t, err)
		if told = append(told, fmt.Sprintf("%s to %s held by %q: %s", c.Action, c.Box, c.Holder, c.Title)); len(told) == 3 {
			break
		}
	}
	require.Equal(t, []string{
		`sent to b held by "": x`, `message to b held by "": Mind the gap`, `claimed to b held by "b": x`,
	}, told)
}

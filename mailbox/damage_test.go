package mailbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

func TestWhatCannotBeReadIsHandedOutOnceAndCanBeFailed(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	s, c := w.stdio("s"), w.stdio("c")
	w.send(s, "c", "x")
	w.send(s, "c", "y")
	damageSaid(t, b, 1, 1)
	claim := w.claim(c)
	require.Contains(t, claim.Brief, "cannot be read")
	require.Equal(t, schemas.ID(2), w.claim(c).HandoffID)
	w.fail(c, schemas.FailIn{HandoffID: "1", FailureDetail: because("unreadable"), Then: schemas.ThenStop})
}

func TestADamagedParentHidesOnlyItself(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	s, c := w.stdio("s"), w.stdio("c")
	w.send(s, "z", "root")
	w.send(s, "c", "x", func(in *schemas.SendIn) { in.Parent = "1" })
	damage(t, b, 1)
	require.Contains(t, w.claim(c).Brief, "> x")
	list := must(t, w.List, s, schemas.ListIn{Box: "all"})
	require.Len(t, list.Items, 1)
	history := must(t, w.History, s, schemas.HistoryIn{HandoffID: "2"})
	require.False(t, history.LogVerified)
	for _, err := range w.Changes(t.Context(), 0) {
		require.NoError(t, err)
		break
	}
}

// What time cannot change wakes nobody: a waiter that looked again at once would spin.
func TestTimeThatCannotBeAppliedWakesNobody(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	s, c := w.stdio("s"), w.stdio("c")
	w.assign(s, c, "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	out := w.update(c, 1, schemas.ActProgress, func(in *schemas.UpdateIn) {
		in.Changes = &schemas.Changes{Checkpoint: &schemas.Checkpoint{Note: "k"}}
	})
	var event uint64
	_, err := fmt.Sscanf(out.Checkpoint, "chk_%d", &event)
	require.NoError(t, err)
	w.send(s, "d", "other", func(in *schemas.SendIn) { in.Parent = "none" })
	damageSaid(t, b, 1, event)
	w.later(11 * time.Minute)
	readings := 0
	now := w.Now
	w.Now = func() time.Time { readings++; return now() }
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = w.Get(ctx, s, schemas.GetIn{HandoffID: "2", View: "outcome", WaitSeconds: 30})
	refused(t, err, schemas.Unavailable, "")
	require.Less(t, readings, 100)
}

func TestASendThatLetsTimePassKeepsItsContent(t *testing.T) {
	w, s := newWorldWith(t, "s")
	w.dueTogether(s, 300)
	dep := w.send(s, "d", "dep", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "11m"}; in.Parent = "none" })
	w.later(time.Hour)
	sent := w.send(s, "e", "then", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{After: []string{dep.HandoffID.String()}}
		in.Parent = "none"
	})
	require.Equal(t, "then", w.full(sent.HandoffID).Handoff.Task)
}

func TestDamagedRulesStopNothing(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	a, c := w.stdio("a"), w.stdio("c")
	w.rules([]schemas.Route{{On: []string{"completed"}, Send: []schemas.SendIn{to("z", "x")}}})
	spoil(t, b, store.Rules, []byte("shop/agents.yaml"))
	w.assign(a, c, "work")
	require.Nil(t, w.complete(c, 1).Forwarded)
}

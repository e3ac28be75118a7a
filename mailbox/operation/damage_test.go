package operation_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// damageContent spoils the content of an event of a handoff until the test ends.
func damageContent(t testing.TB, b store.Backend, id schemas.ID, event uint64) {
	key := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(id)), event)
	mailboxtest.SpoilRow(t, b, store.Bodies, append(key, 0, 0))
}

func TestClaim_ReturnsUnreadableHandoffOnce(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	s, c := w.Stdio("s"), w.Stdio("c")
	w.Sends(s, "c", "x")
	w.Sends(s, "c", "y")
	damageContent(t, b, 1, 1)
	claim := w.Claims(c)
	require.Contains(t, claim.Brief, "cannot be read")
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
	w.Fails(c, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("unreadable"), Then: schemas.ThenStop})
}

func TestClaim_SucceedsWithDamagedParent(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	s, c := w.Stdio("s"), w.Stdio("c")
	w.Sends(s, "z", "root")
	w.Sends(s, "c", "x", func(in *schemas.SendIn) { in.Parent = "1" })
	mailboxtest.DamageRecord(t, b, 1)
	require.Contains(t, w.Claims(c).Brief, "> x")
	list := mailboxtest.Must(t, w.List, s, schemas.ListIn{Box: "all"})
	require.Len(t, list.Items, 1)
	history := mailboxtest.Must(t, w.History, s, schemas.HistoryIn{HandoffID: "2"})
	require.False(t, history.LogVerified)
	for _, err := range w.Changes(t.Context(), 0) {
		require.NoError(t, err)
		break
	}
}

// A handoff whose due change fails does not wake waiting calls. A call that looked at it again at once would never
// sleep.
func TestGet_WaitsWithoutSpinningIfDueChangeFails(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	s, c := w.Stdio("s"), w.Stdio("c")
	w.Assigns(s, c, "x", func(in *schemas.SendIn) { in.Deadline = "10m" })
	out := w.Updates(c, 1, schemas.ActProgress, mailboxtest.WithChanges(schemas.Changes{Checkpoint: &schemas.Checkpoint{Note: "k"}}))
	var event uint64
	_, err := fmt.Sscanf(out.Checkpoint, "chk_%d", &event)
	require.NoError(t, err)
	w.Sends(s, "d", "other", mailboxtest.NoParent)
	damageContent(t, b, 1, event)
	w.Pass(11 * time.Minute)
	readings := 0
	now := w.Now
	w.Now = func() time.Time { readings++; return now() }
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = w.Get(ctx, s, schemas.GetIn{HandoffID: "2", View: "outcome", WaitSeconds: 30})
	mailboxtest.RequireError(t, err, schemas.Unavailable, "")
	require.Less(t, readings, 100)
}

func TestSend_StoresContentWhileManyChangesAreDue(t *testing.T) {
	w, s := mailboxtest.NewWithAgent(t, "s")
	sendDueTogether(w, s, 300)
	dep := w.Sends(s, "d", "dep", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "11m"}; in.Parent = "none" })
	w.Pass(time.Hour)
	sent := w.Sends(s, "e", "then", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{After: []string{dep.HandoffID.String()}}
		in.Parent = "none"
	})
	require.Equal(t, "then", w.FullView(sent.HandoffID).Handoff.Task)
}

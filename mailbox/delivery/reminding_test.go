package delivery_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
)

// sendAndClaim sends a handoff to an agent and claims it.
func sendAndClaim(w *mailboxtest.World, by schemas.Caller, task string) schemas.ID {
	w.T.Helper()
	w.Sends(mailboxtest.Human, string(by.Agent), task)
	return w.Claims(by).HandoffID
}

// remindedIDs returns the handoffs in the reminder at a stop.
func (h sessionHooks) remindedIDs() (ids []schemas.ID) {
	h.T.Helper()
	out := h.news(schemas.OnStop)
	require.Equal(h.T, out.Remind, len(out.Holding) > 0)
	for _, held := range out.Holding {
		ids = append(ids, held.HandoffID)
	}
	return ids
}

func TestNews_RemindsOfHandoffOnce(t *testing.T) {
	mailboxtest.RunOnEachStore(t, func(t *testing.T, w *mailboxtest.World) {
		qa, hooks := w.Stdio("qa"), hooksOf(w, "qa", "qa-1")
		require.Empty(t, hooks.remindedIDs())
		first, second := sendAndClaim(w, qa, "First"), sendAndClaim(w, qa, "Second")
		require.Equal(t, []schemas.ID{first, second}, hooks.remindedIDs())
		for range 40 {
			require.Empty(t, hooks.remindedIDs())
		}
		w.Completes(qa, first)
		third := sendAndClaim(w, qa, "Third")
		require.Equal(t, []schemas.ID{third}, hooks.remindedIDs())
		require.Empty(t, hooks.remindedIDs())
	})
}

// A session that claims another handoff at each reminder would never stop.
func TestNews_RemindsAtMostThreeTimesInSuccession(t *testing.T) {
	w := mailboxtest.New(t)
	qa, hooks := w.Stdio("qa"), hooksOf(w, "qa", "qa-1")
	inARow, longest, reminded := 0, 0, 0
	for i := range 40 {
		sendAndClaim(w, qa, fmt.Sprintf("task %d", i))
		if len(hooks.remindedIDs()) == 0 {
			inARow = 0
			continue
		}
		inARow++
		reminded++
		longest = max(longest, inARow)
	}
	require.Equal(t, 3, longest)
	require.Equal(t, 30, reminded)
}

func TestNews_LetsSessionStopWithoutWorkInProgress(t *testing.T) {
	for name, play := range map[string]func(w *mailboxtest.World){
		"waits for an answer": func(w *mailboxtest.World) {
			qa := w.Stdio("qa")
			w.Updates(qa, sendAndClaim(w, qa, "Which?"), schemas.ActAsk, mailboxtest.WithNote("which one?"))
		},
		"sent, not claimed":     func(w *mailboxtest.World) { w.Sends(mailboxtest.Human, "qa", "Later") },
		"held by another agent": func(w *mailboxtest.World) { sendAndClaim(w, w.Stdio("dev"), "Not mine") },
		"held by another session of the same name": func(w *mailboxtest.World) {
			w.Stdio("qa")
			other := schemas.Caller{Agent: "qa", AgentID: "qa-2", Via: schemas.ViaStdio, Conn: "conn-2"}
			mailboxtest.Must(w.T, w.Attach, other, schemas.ConnIn{Conn: other.Conn})
			sendAndClaim(w, other, "Of the other")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := mailboxtest.New(t)
			play(w)
			require.Empty(t, hooksOf(w, "qa", "qa-1").remindedIDs())
		})
	}
}

func TestNews_RemindsOfWorkClaimedByCommand(t *testing.T) {
	w := mailboxtest.New(t)
	w.Stdio("qa")
	id := sendAndClaim(w, schemas.Caller{Agent: "qa", Via: schemas.ViaCLI}, "By a command")
	require.Equal(t, []schemas.ID{id}, hooksOf(w, "qa", "qa-1").remindedIDs())
}

// Subagents act over the connection of their session, under names of their own.
func TestNews_RemindsSubagentsOfTheirOwnWork(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	helper := lead
	helper.Agent = "tester"
	mine, its := sendAndClaim(w, lead, "Mine"), sendAndClaim(w, helper, "Its")

	sub := hooksOf(w, "lead", "lead-1")
	sub.in.Subagents = []schemas.Agent{"explorer"}
	require.Empty(t, sub.remindedIDs())
	sub.in.Subagents = []schemas.Agent{"tester"}
	require.Equal(t, []schemas.ID{its}, sub.remindedIDs())
	require.Equal(t, []schemas.ID{mine}, hooksOf(w, "lead", "lead-1").remindedIDs())

	behind := hooksOf(w, "lead", "lead-1")
	theirs := sendAndClaim(w, helper, "Its next")
	behind.in.AtWork = []schemas.Agent{"tester"}
	require.Empty(t, behind.remindedIDs(), "it goes on in the background, and is reminded when it stops")
	behind.in.AtWork = nil
	require.Equal(t, []schemas.ID{theirs}, behind.remindedIDs())

	other := hooksOf(w, "lead", "lead-2").news(schemas.OnLook)
	require.Equal(t, []schemas.ID{mine}, []schemas.ID{other.Holding[0].HandoffID}, "what a subagent holds is of its session")
	require.Len(t, other.Holding, 1)
}

func TestNews_NotesEndOfSessionInCheckpoint(t *testing.T) {
	w := mailboxtest.New(t)
	qa, hooks := w.Stdio("qa"), hooksOf(w, "qa", "s1")
	id := sendAndClaim(w, qa, "Test it")
	kept := &schemas.Checkpoint{State: map[string]any{"step": "three"}, Note: "half done\n\nthe rest is easy"}
	w.Updates(qa, id, schemas.ActProgress, mailboxtest.WithChanges(schemas.Changes{Checkpoint: kept}))
	checkpoint := func() *schemas.Checkpoint {
		out := mailboxtest.Must(t, w.Get, mailboxtest.Human, schemas.GetIn{HandoffID: id.String(), View: "checkpoint"})
		require.Equal(t, kept.State, out.Checkpoint.State)
		return out.Checkpoint
	}
	hooks.news(schemas.OnCompact)
	require.Equal(t, kept.Note+"\n[handoff] session s1 of qa was compacted at 2026-01-11T20:30:00Z.", checkpoint().Note)
	before := w.FullView(id).Standing.LeaseEnds
	w.Pass(5 * time.Minute)
	hooks.news(schemas.OnCompact)
	require.Contains(t, checkpoint().Note, "20:30:00Z", "nothing happened in between")
	hooks.news(schemas.OnEnd)
	require.Equal(t, kept.Note+"\n[handoff] session s1 of qa ended at 2026-01-11T20:35:00Z.", checkpoint().Note)
	require.Equal(t, before, w.FullView(id).Standing.LeaseEnds, "nobody worked on it")
	w.Completes(qa, id)
	hooks.news(schemas.OnEnd)
	require.Contains(t, checkpoint().Note, "20:35:00Z")
}

func TestNews_KeepsMarksOfActiveSession(t *testing.T) {
	w := mailboxtest.New(t)
	w.Sends(mailboxtest.Human, "qa", "Test it")
	hooks := hooksOf(w, "qa", "s1")
	require.Equal(t, "ho_1", itemIDs(hooks.news(schemas.OnMail)))
	for range 10 {
		w.Pass(25 * time.Hour)
		require.Empty(t, itemIDs(hooks.news(schemas.OnMail)))
	}
	w.Sends(mailboxtest.Human, "dev", "Something else")
	hooksOf(w, "dev", "s2").news(schemas.OnMail)
	require.Empty(t, itemIDs(hooks.news(schemas.OnMail)))
}

func TestNews_DeletesMarksOfSessionAfterAWeek(t *testing.T) {
	w := mailboxtest.New(t)
	w.Sends(mailboxtest.Human, "qa", "Test it")
	hooksOf(w, "qa", "s1").news(schemas.OnMail)
	w.Pass(8 * 24 * time.Hour)
	w.Sends(mailboxtest.Human, "qa", "Test it too")
	hooksOf(w, "qa", "s2").news(schemas.OnMail)
	require.NoError(t, w.Store.View(context.Background(), func(v *store.View) error {
		told, err := v.DeliveredItems("qa", "s1")
		require.Zero(t, told)
		return err
	}))
}

// A changing order would look like news.
func TestNews_OrdersHeldWorkOfSeveralConnections(t *testing.T) {
	w := mailboxtest.New(t)
	var want []schemas.ID
	for i := range 5 {
		by := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("sub-%d", i)), AgentID: "lead-1", Via: schemas.ViaStdio, Conn: fmt.Sprintf("conn-%d", i)}
		mailboxtest.Must(t, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
		want = append(want, sendAndClaim(w, by, "Its"))
	}
	for range 20 {
		var got []schemas.ID
		for _, held := range hooksOf(w, "lead", "lead-1").news(schemas.OnLook).Holding {
			got = append(got, held.HandoffID)
		}
		require.Equal(t, want, got)
	}
}

func TestNews_FailsWhenHeldWorkCannotBeRead(t *testing.T) {
	b := memory.New()
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	sendAndClaim(w, w.Stdio("qa"), "Test it")
	mailboxtest.SpoilRow(t, b, store.Agents, []byte("qa"))
	for _, on := range []schemas.SessionEvent{schemas.OnStop, schemas.OnCompact} {
		_, err := w.News(context.Background(), schemas.Caller{Agent: "qa"}, schemas.NewsIn{On: on, Session: "another"})
		require.Error(t, err, on)
	}
}

// The end of the wait wakes the session.
func TestNews_LeavesSessionWithPollingWaitAlone(t *testing.T) {
	w := mailboxtest.New(t)
	qa, hooks := w.Stdio("qa"), hooksOf(w, "qa", "qa-1")
	held := sendAndClaim(w, qa, "First")
	waiting := qa
	waiting.Request, waiting.Poll = "r", time.Hour
	_, err := w.Claim(context.Background(), waiting, schemas.ClaimIn{WaitSeconds: 50})
	mailboxtest.RequireError(t, err, schemas.Unfinished, "qa waits for mail")
	require.Empty(t, hooks.remindedIDs())
	require.Empty(t, hooks.news(schemas.OnWake).New)
	mailboxtest.Must(t, w.EndWait, waiting, schemas.EndWaitIn{})
	require.Equal(t, []schemas.ID{held}, hooks.remindedIDs())
}

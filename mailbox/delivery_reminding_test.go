package mailbox_test

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

// holds makes an agent hold a handoff.
func (w *world) holds(by schemas.Caller, task string) schemas.ID {
	w.t.Helper()
	w.Sends(person, string(by.Agent), task)
	return w.Claims(by).HandoffID
}

// remindedOf are the handoffs because of which a session is kept from stopping.
func (h hooked) remindedOf() (ids []schemas.ID) {
	h.t.Helper()
	out := h.on(schemas.OnStop)
	require.Equal(h.t, out.Remind, len(out.Holding) > 0)
	for _, held := range out.Holding {
		ids = append(ids, held.HandoffID)
	}
	return ids
}

func TestASessionIsRemindedOfEachHandoffOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		qa, hooks := w.Stdio("qa"), w.hooks("qa", "qa-1")
		require.Empty(t, hooks.remindedOf())
		first, second := w.holds(qa, "First"), w.holds(qa, "Second")
		require.Equal(t, []schemas.ID{first, second}, hooks.remindedOf())
		for range 40 {
			require.Empty(t, hooks.remindedOf())
		}
		w.Completes(qa, first)
		third := w.holds(qa, "Third")
		require.Equal(t, []schemas.ID{third}, hooks.remindedOf())
		require.Empty(t, hooks.remindedOf())
	})
}

// A session that claims another handoff whenever it is kept from stopping would never stop.
func TestASessionIsRemindedThreeTimesInARowAtMost(t *testing.T) {
	w := newWorld(t)
	qa, hooks := w.Stdio("qa"), w.hooks("qa", "qa-1")
	inARow, longest, reminded := 0, 0, 0
	for i := range 40 {
		w.holds(qa, fmt.Sprintf("task %d", i))
		if len(hooks.remindedOf()) == 0 {
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

func TestSessionMayEndThoughItWasSentWorkOrWaitsForAnAnswer(t *testing.T) {
	for name, play := range map[string]func(w *world){
		"what waits for an answer": func(w *world) {
			qa := w.Stdio("qa")
			w.Updates(qa, w.holds(qa, "Which?"), schemas.ActAsk, note("which one?"))
		},
		"what it only was sent": func(w *world) { w.Sends(person, "qa", "Later") },
		"what others hold":      func(w *world) { w.holds(w.Stdio("dev"), "Not mine") },
		"what another session holds under the same name": func(w *world) {
			w.Stdio("qa")
			other := schemas.Caller{Agent: "qa", AgentID: "qa-2", Via: schemas.ViaStdio, Conn: "conn-2"}
			mailboxtest.Must(w.t, w.Attach, other, schemas.ConnIn{Conn: other.Conn})
			w.holds(other, "Of the other")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			play(w)
			require.Empty(t, w.hooks("qa", "qa-1").remindedOf())
		})
	}
}

func TestASessionIsRemindedOfWhatWasClaimedByACommand(t *testing.T) {
	w := newWorld(t)
	w.Stdio("qa")
	id := w.holds(schemas.Caller{Agent: "qa", Via: schemas.ViaCLI}, "By a command")
	require.Equal(t, []schemas.ID{id}, w.hooks("qa", "qa-1").remindedOf())
}

// Subagents act over the connection of their session, under names of their own.
func TestSubagentsAreRemindedOfTheirOwn(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	helper := lead
	helper.Agent = "tester"
	mine, its := w.holds(lead, "Mine"), w.holds(helper, "Its")

	sub := w.hooks("lead", "lead-1")
	sub.in.Subagents = []schemas.Agent{"explorer"}
	require.Empty(t, sub.remindedOf())
	sub.in.Subagents = []schemas.Agent{"tester"}
	require.Equal(t, []schemas.ID{its}, sub.remindedOf())
	require.Equal(t, []schemas.ID{mine}, w.hooks("lead", "lead-1").remindedOf())

	behind := w.hooks("lead", "lead-1")
	theirs := w.holds(helper, "Its next")
	behind.in.AtWork = []schemas.Agent{"tester"}
	require.Empty(t, behind.remindedOf(), "it goes on in the background, and is reminded when it stops")
	behind.in.AtWork = nil
	require.Equal(t, []schemas.ID{theirs}, behind.remindedOf())

	other := w.hooks("lead", "lead-2").on(schemas.OnLook)
	require.Equal(t, []schemas.ID{mine}, []schemas.ID{other.Holding[0].HandoffID}, "what a subagent holds is of its session")
	require.Len(t, other.Holding, 1)
}

func TestASessionThatEndsLeavesANote(t *testing.T) {
	w := newWorld(t)
	qa, hooks := w.Stdio("qa"), w.hooks("qa", "s1")
	id := w.holds(qa, "Test it")
	kept := &schemas.Checkpoint{State: map[string]any{"step": "three"}, Note: "half done\n\nthe rest is easy"}
	w.Updates(qa, id, schemas.ActProgress, func(in *schemas.UpdateIn) { in.Changes = &schemas.Changes{Checkpoint: kept} })
	checkpoint := func() *schemas.Checkpoint {
		out := mailboxtest.Must(t, w.Get, person, schemas.GetIn{HandoffID: id.String(), View: "checkpoint"})
		require.Equal(t, kept.State, out.Checkpoint.State)
		return out.Checkpoint
	}
	hooks.on(schemas.OnCompact)
	require.Equal(t, kept.Note+"\n[handoff] session s1 of qa was compacted at 2026-01-11T20:30:00Z.", checkpoint().Note)
	before := w.Full(id).Standing.LeaseEnds
	w.Pass(5 * time.Minute)
	hooks.on(schemas.OnCompact)
	require.Contains(t, checkpoint().Note, "20:30:00Z", "nothing happened in between")
	hooks.on(schemas.OnEnd)
	require.Equal(t, kept.Note+"\n[handoff] session s1 of qa ended at 2026-01-11T20:35:00Z.", checkpoint().Note)
	require.Equal(t, before, w.Full(id).Standing.LeaseEnds, "nobody worked on it")
	w.Completes(qa, id)
	hooks.on(schemas.OnEnd)
	require.Contains(t, checkpoint().Note, "20:35:00Z")
}

func TestASessionThatGoesOnIsNotForgotten(t *testing.T) {
	w := newWorld(t)
	w.Sends(person, "qa", "Test it")
	hooks := w.hooks("qa", "s1")
	require.Equal(t, "ho_1", named(hooks.on(schemas.OnMail)))
	for range 10 {
		w.Pass(25 * time.Hour)
		require.Empty(t, named(hooks.on(schemas.OnMail)))
	}
	w.Sends(person, "dev", "Something else")
	w.hooks("dev", "s2").on(schemas.OnMail)
	require.Empty(t, named(hooks.on(schemas.OnMail)))
}

func TestASessionIsForgottenAfterAWeek(t *testing.T) {
	w := newWorld(t)
	w.Sends(person, "qa", "Test it")
	w.hooks("qa", "s1").on(schemas.OnMail)
	w.Pass(8 * 24 * time.Hour)
	w.Sends(person, "qa", "Test it too")
	w.hooks("qa", "s2").on(schemas.OnMail)
	require.NoError(t, w.Store.View(context.Background(), func(v *store.View) error {
		told, err := v.Delivered("qa", "s1")
		require.Zero(t, told)
		return err
	}))
}

// In another order they would read as if something had changed.
func TestHeldHandoffsOfSeveralConnectionsAreNamedInOneOrder(t *testing.T) {
	w := newWorld(t)
	var want []schemas.ID
	for i := range 5 {
		by := schemas.Caller{Agent: schemas.Agent(fmt.Sprintf("sub-%d", i)), AgentID: "lead-1", Via: schemas.ViaStdio, Conn: fmt.Sprintf("conn-%d", i)}
		mailboxtest.Must(t, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
		want = append(want, w.holds(by, "Its"))
	}
	for range 20 {
		var got []schemas.ID
		for _, held := range w.hooks("lead", "lead-1").on(schemas.OnLook).Holding {
			got = append(got, held.HandoffID)
		}
		require.Equal(t, want, got)
	}
}

func TestASessionIsNotToldThatItHoldsNothingWhileNobodyKnows(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	w.holds(w.Stdio("qa"), "Test it")
	spoil(t, b, store.Agents, []byte("qa"))
	for _, on := range []schemas.SessionEvent{schemas.OnStop, schemas.OnCompact} {
		_, err := w.News(context.Background(), schemas.Caller{Agent: "qa"}, schemas.NewsIn{On: on, Session: "another"})
		require.Error(t, err, on)
	}
}

package mailbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func soon(address, task string) schemas.SendIn {
	return schemas.SendIn{To: address, Task: task, Deadline: "1s"}
}

// sentBy counts the handoffs of a sender.
func (w *world) sentBy(name schemas.Agent) (n int) {
	w.t.Helper()
	for cursor := "x"; cursor != ""; {
		in := schemas.ListIn{Box: "all", Limit: 50}
		if cursor != "x" {
			in.Cursor = cursor
		}
		out, err := w.List(context.Background(), person, in)
		require.NoError(w.t, err)
		for _, it := range out.Items {
			if it.From == name {
				n++
			}
		}
		cursor = out.Cursor
	}
	return n
}

func (w *world) look() schemas.ListOut {
	w.t.Helper()
	out, err := w.List(context.Background(), person, schemas.ListIn{Box: "all"})
	require.NoError(w.t, err)
	return out
}

// declareOld keeps rules as an earlier version did that refused fewer.
func (w *world) declareOld(routes ...schemas.Route) {
	w.t.Helper()
	require.NoError(w.t, w.Store.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.PutRules("shop/agents.yaml", store.DeclaredRules{Routes: routes})
		return err
	}))
}

func TestRules_SendSoMuchInAWorkflowBecauseOfTime(t *testing.T) {
	none := soon("q", "y")
	none.Parent, none.Workflow = "none", "w{{handoff.id}}"
	for name, send := range map[string][]schemas.SendIn{
		"two, of which one cut its chain": {soon("q", "x"), none},
		"eight":                           {soon("q", "1"), soon("q", "2"), soon("q", "3"), soon("q", "4"), soon("q", "5"), soon("q", "6"), soon("q", "7"), soon("q", "8")},
		"to human":                        {soon("human", "x"), soon("human", "y")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.declareOld(schemas.Route{Name: "a", On: []string{"timed_out"}, Send: send})
			sent := w.send(w.stdio("me"), "q", "go", func(in *schemas.SendIn) { in.Deadline = "1s" })
			for range 30 {
				w.later(2 * time.Second)
				w.look()
				w.Restart() // forgets nothing
			}
			require.LessOrEqual(t, w.sentBy(schemas.System), 200)
			require.Greater(t, w.sentBy(schemas.System), 190)
			history, err := w.History(context.Background(), person, schemas.HistoryIn{Workflow: string(sent.Workflow), Format: "rows", Limit: 500})
			require.NoError(t, err)
			require.Greater(t, len(history.Items), 190, "all in the workflow of the first")
			told := slices.DeleteFunc(w.notices(person), func(n schemas.Item) bool { return n.Kind != "escalated" })
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, "the rules sent 200 because of time in wf_1, the limit of a workflow")
		})
	}
}

func TestRules_SendSoMuchInAnHourBecauseOfTime(t *testing.T) {
	sandbox.Proof(t)
	w := newWorld(t)
	w.rules([]schemas.Route{
		{Name: "a", On: []string{"timed_out"}, When: `handoff.from == "me"`, Send: []schemas.SendIn{to("q", "x")}},
		{Name: "b", On: []string{"timed_out"}, When: `handoff.from == "me"`, Send: []schemas.SendIn{to("q", "x")}},
		{Name: "c", On: []string{"timed_out"}, When: `handoff.from == "me"`, Send: []schemas.SendIn{to("q", "x")}},
	})
	me := w.stdio("me")
	timeOut := func(n int) {
		for range n {
			w.send(me, "q", "go", func(in *schemas.SendIn) { in.Deadline = "1s" })
		}
		w.later(2 * time.Second)
		w.look()
	}
	timeOut(700) // 1,000 of one rule would do, and all three are past the hour
	require.Equal(t, 2_000, w.sentBy(schemas.System))
	w.later(time.Hour)
	timeOut(1)
	require.Equal(t, 2_003, w.sentBy(schemas.System), "the next hour has its own")
}

func TestRules_WhatAnAgentCausesIsNoMatterOfTime(t *testing.T) {
	w := newWorld(t)
	w.rules([]schemas.Route{{Name: "a", On: []string{"completed"}, When: `handoff.from == "a"`, Send: []schemas.SendIn{to("q", "x")}}})
	a, b := w.stdio("a"), w.stdio("b")
	for range 250 {
		w.send(a, "b", "x", func(in *schemas.SendIn) { in.Workflow = "one" })
		w.complete(b, w.claim(b).HandoffID)
	}
	require.Equal(t, 250, w.sentBy(schemas.System))
}

func TestRules_AreRefusedThatLeaveTheirChain(t *testing.T) {
	w := newWorld(t)
	cut := soon("q", "x")
	cut.Parent = "{{root.id}}"
	for _, file := range []schemas.DeclaringFile{
		{Name: "a", Routes: []schemas.Route{{On: []string{"sent"}, Send: []schemas.SendIn{to("q", "x"), cut}}}},
		{Name: "a", Routes: []schemas.Route{{On: []string{"sent"}, Send: []schemas.SendIn{to("q", "x")}, Join: &cut}}},
		{Name: "a", Plans: []schemas.Plan{{Name: "p", Steps: inOrder(step("a", "q"), step("b", "q", func(s *schemas.PlanStep) { s.Workflow = "other" }))}}},
	} {
		_, err := w.Declare(context.Background(), schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{Files: []schemas.DeclaringFile{file}})
		require.Contains(t, refused(t, err, schemas.Invalid, "no rule chooses it").Field, "files[0].")
	}
}

func TestCatchUp_GoesOnForSoLongInOneCall(t *testing.T) {
	var passed time.Duration // the clock goes on with each look at it
	w := newWorld(t, func(c *mailbox.Config) {
		now := c.Now
		c.Now = func() time.Time { passed += time.Millisecond; return now().Add(passed) }
	})
	me := schemas.Caller{Agent: "me"}
	for range 1_600 {
		w.send(me, "q", "x", func(in *schemas.SendIn) { in.Deadline = "2h" })
	}
	w.later(3 * time.Hour)
	var told []string
	for {
		out, err := w.History(context.Background(), person, schemas.HistoryIn{})
		require.NoError(t, err)
		if len(out.Warnings) == 0 {
			break
		}
		told = append(told, out.Warnings...)
	}
	require.Equal(t, "time has more to do: at least 1000 handoffs are overdue, and the next call goes on", told[0])
	require.Contains(t, told[len(told)-1], "time has more to do: about ")
	require.Len(t, slices.Compact(told[1:]), len(told)-1, "each call goes on")
}

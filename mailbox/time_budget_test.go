package mailbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

func withDeadline(deadline string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) { in.Deadline = deadline }
}

func ruleSendWithDeadline(address, task string) schemas.SendIn {
	return schemas.SendIn{To: address, Task: task, Deadline: "1s"}
}

// countHandoffs returns the number of handoffs, after due changes.
func (w *world) countHandoffs() int {
	w.t.Helper()
	return mailboxtest.Must(w.t, w.Overview, person, schemas.OverviewIn{}).Counts.Sent
}

func TestRules_SendsByClockAreLimitedPerWorkflow(t *testing.T) {
	for name, send := range map[string][]schemas.SendIn{
		"two":      {ruleSendWithDeadline("q", "x"), ruleSendWithDeadline("q", "y")},
		"eight":    slices.Repeat([]schemas.SendIn{ruleSendWithDeadline("q", "x")}, 8),
		"to human": {ruleSendWithDeadline("human", "x"), ruleSendWithDeadline("human", "y")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			old := store.DeclaredRules{Routes: []schemas.Route{{Name: "a", On: []string{"timed_out"}, Send: send}}}
			require.NoError(t, w.Store.Update(context.Background(), func(tx *store.Tx) error { _, err := tx.PutDeclaredRules("x", old); return err }))
			w.Sends(w.Stdio("me"), "q", "go", withDeadline("1s"))
			for range 30 {
				w.Pass(2 * time.Second)
				w.countHandoffs()
				w.Restart() // a restart keeps the counts
			}
			require.Equal(t, 1+200, w.countHandoffs())
			rows := mailboxtest.Must(t, w.History, person, schemas.HistoryIn{Workflow: "wf_1", Format: "rows", Limit: 500})
			require.Len(t, rows.Items, 201, "none is in another workflow")
			told := slices.DeleteFunc(w.Notices(person), func(n schemas.ListItem) bool { return n.Kind != "escalated" })
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, "the rules sent 200 because of time in wf_1, the limit of a workflow")
		})
	}
}

func TestRules_SendsByClockAreLimitedPerHour(t *testing.T) {
	sandbox.SkipUnlessProofs(t)
	w := newWorld(t)
	mine := schemas.Route{On: []string{"timed_out"}, When: `handoff.from == "me"`, Send: []schemas.SendIn{mailboxtest.RuleSend("q", "x")}}
	two, three := mine, mine
	mine.Name, two.Name, three.Name = "a", "b", "c"
	timeOut := func(n int, more ...schemas.Route) (sent int) {
		w.DeclareRules(append(more, mine))
		before := w.countHandoffs()
		for range n {
			w.Sends(w.Stdio("me"), "q", "go", withDeadline("1s"))
		}
		w.Pass(2 * time.Second)
		return w.countHandoffs() - before - n
	}
	require.Equal(t, 1_000, timeOut(1_010), "of one rule")
	require.Equal(t, 1_000, timeOut(510, two, three), "of all rules together with those before")
	w.Pass(time.Hour)
	require.Equal(t, 1, timeOut(1), "the next hour has its own")
}

func TestRules_SendsByCallsDoNotCountForClockBudget(t *testing.T) {
	w := newWorld(t)
	w.DeclareRules([]schemas.Route{{Name: "a", On: []string{"completed"}, When: `handoff.from == "a"`, Send: []schemas.SendIn{mailboxtest.RuleSend("q", "x")}}})
	a, b := w.Stdio("a"), w.Stdio("b")
	for range 210 {
		w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Workflow = "one" })
		w.Completes(b, w.Claims(b).HandoffID)
	}
	require.Equal(t, 2*210, w.countHandoffs())
}

func TestDeclare_RefusesRuleThatChoosesParentOrWorkflow(t *testing.T) {
	w := newWorld(t)
	cut := ruleSendWithDeadline("q", "x")
	cut.Parent = "{{root.id}}"
	other := step("b", "q", func(s *schemas.PlanStep) { s.Workflow = "other" })
	for field, file := range map[string]schemas.DeclaringFile{
		"routes[0].send[1].parent":   {Routes: []schemas.Route{{On: []string{"sent"}, Send: []schemas.SendIn{mailboxtest.RuleSend("q", "x"), cut}}}},
		"routes[0].join.parent":      {Routes: []schemas.Route{{On: []string{"sent"}, Send: []schemas.SendIn{mailboxtest.RuleSend("q", "x")}, Join: &cut}}},
		"plans[0].steps[1].workflow": {Plans: []schemas.Plan{{Name: "p", Steps: inOrder(step("a", "q"), other)}}},
	} {
		file.Name = "a"
		_, err := w.Declare(context.Background(), schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{file}})
		require.Equal(t, "files[0]."+field, refused(t, err, schemas.Invalid, "a rule cannot choose it").Field)
	}
}

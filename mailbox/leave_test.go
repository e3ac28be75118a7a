package mailbox_test

import (
	"bytes"
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

// declareFactoryWorkflow declares a workflow of three steps. If unallowed is set, no person has permitted the workflow.
// The last step goes to the agent last.
func (w *world) declareFactoryWorkflow(unallowed bool, last string) {
	w.t.Helper()
	mailboxtest.Must(w.t, w.Declare, person, schemas.DeclareIn{Leave: true, Digest: fmt.Sprint(last, unallowed), Files: []schemas.DeclaringFile{{
		Name: "p/.handoff/agents.yaml", Unallowed: unallowed, Plans: []schemas.Plan{{Name: "factory", Steps: inOrder(
			step("build", "b"), step("fix", "fixer", func(s *schemas.PlanStep) { s.When = "!outcome.passed" }), step("test", last),
		)}},
		Routes: []schemas.Route{{Name: "tell", On: []string{"completed"}, Send: []schemas.SendIn{mailboxtest.RuleSend("human", "told")}}},
	}}})
}

// waitingForPermission returns the handoffs that wait for a person's permission in the overview, with the reasons.
func (w *world) waitingForPermission() (ids []schemas.ID, reasons []string) {
	out := mailboxtest.Must(w.t, w.Overview, person, schemas.OverviewIn{})
	for _, c := range out.NeedsYou.Items {
		if c.Kind == schemas.ConcernLeave {
			ids, reasons = append(ids, c.HandoffID), append(reasons, c.Reason)
		}
	}
	return ids, reasons
}

const waitsForLeave = "the next step waits until a person allows the rules of p/.handoff/agents.yaml: handoff allow"

const waitsForFile = "the next step waits until a file declares this step again; handoff cancel ends the wait"

// declarePlans makes the file of the project declare other plans, which a person has permitted.
func (w *world) declarePlans(plans ...schemas.Plan) {
	w.t.Helper()
	mailboxtest.Must(w.t, w.Declare, person, schemas.DeclareIn{
		Leave: true, Files: []schemas.DeclaringFile{{Name: "p/.handoff/agents.yaml", Plans: plans}},
	})
}

func TestWorkflow_PausesUntilPersonAllowsItsRulesAgain(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.declareFactoryWorkflow(false, "c")
	one := func(in *schemas.SendIn) { in.Workflow = "one" }
	w.Sends(a, "workflow:factory", "the login", one)
	w.Sends(a, "workflow:factory", "the logout", one)
	w.declareFactoryWorkflow(true, "c")
	ids, reasons := w.waitingForPermission()
	require.ElementsMatch(t, []schemas.ID{1, 2}, ids, "also while their steps are under way")
	require.Equal(t, waitsForLeave, reasons[0])
	w.ClaimsID(b, 1)
	require.Contains(t, w.Completes(b, 1).Warnings, waitsForLeave)
	w.ClaimsID(b, 2)
	w.Fails(b, schemas.FailIn{HandoffID: "2", FailureDetail: because("broken")})
	require.Empty(t, w.SentByRules(), "nothing is sent, and nothing rolled back in its place")
	require.Equal(t, waitsForLeave, w.FullView(1).Standing.Reason)
	for _, agent := range []schemas.Caller{a, person} {
		require.Contains(t, w.NoticeKinds(agent, 1), "leave")
		require.NotContains(t, w.NoticeKinds(agent, 2), "leave", "once for each workflow")
	}
	w.declareFactoryWorkflow(true, "d")
	w.Restart()
	ids, _ = w.waitingForPermission()
	require.ElementsMatch(t, []schemas.ID{1, 2}, ids)
	w.declareFactoryWorkflow(false, "d")
	require.ElementsMatch(t, []string{"d pending test: the login", "fixer pending fix: the logout"}, w.SentByRules(), "and no route that is no step")
	ids, _ = w.waitingForPermission()
	require.Empty(t, ids)
	w.declareFactoryWorkflow(true, "d")
	w.declareFactoryWorkflow(false, "d")
	require.Len(t, w.SentByRules(), 2)
}

func TestWorkflow_NotAllowedPausesAfterStepIsAccepted(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.declareFactoryWorkflow(false, "c")
	w.Sends(a, "workflow:factory", "the login", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "sender"} })
	w.Claims(b)
	w.Completes(b, 1)
	w.declareFactoryWorkflow(true, "c")
	w.Updates(a, 1, schemas.ActAccept)
	require.Empty(t, w.SentByRules())
	w.declareFactoryWorkflow(false, "c")
	require.Equal(t, []string{"c pending test: the login"}, w.SentByRules())
}

func TestWorkflow_PausesWhileItsFileIsRemoved(t *testing.T) {
	w := newWorld(t)
	w.withdrawPermissionAfterFirstStep(1)
	w.declarePlans()
	_, reasons := w.waitingForPermission()
	require.Equal(t, []string{waitsForFile}, reasons)
	w.declareFactoryWorkflow(false, "c")
	require.Equal(t, []string{"c pending test: the login"}, w.SentByRules())
}

// The checkout of another branch removes a file, or has another state of it. A failed step is rolled back as if no file
// had ever declared it.
func TestWorkflow_PausesIfStepEndsWhileItsFileIsGone(t *testing.T) {
	partial := func(in *schemas.CompleteIn) { in.Outcome = schemas.Partial }
	for name, c := range map[string]struct {
		gone bool // before the work is completed, else before it is accepted
		away func(w *world)
	}{
		"no file": {true, func(w *world) { w.declarePlans() }},
		"another step": {true, func(w *world) {
			w.declarePlans(schemas.Plan{Name: "factory", Steps: inOrder(step("make", "b"), step("test", "c"))})
		}},
		"no file, then accepted": {false, func(w *world) { w.declarePlans() }},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			two := schemas.Plan{Name: "factory", Steps: inOrder(step("build", "b"), step("test", "c"))}
			w.declarePlans(two)
			for _, task := range []string{"the login", "the logout", "the rest"} {
				w.Sends(a, "workflow:factory", task)
				w.Claims(b)
			}
			if c.gone {
				c.away(w)
				w.Completes(b, 1)
				w.Completes(b, 3)
			} else {
				w.Completes(b, 1, partial)
				w.Completes(b, 3, partial)
				c.away(w)
				w.Updates(a, 1, schemas.ActAccept)
				w.Updates(a, 3, schemas.ActAccept)
			}
			w.Fails(b, schemas.FailIn{HandoffID: "2", FailureDetail: because("no")})
			_, reasons := w.waitingForPermission()
			require.Equal(t, []string{waitsForFile, waitsForFile}, reasons)
			require.Equal(t, 1, w.CountPending("a"), "rolled back")
			w.Updates(a, 3, schemas.ActCancel)
			ids, _ := w.waitingForPermission()
			require.Equal(t, []schemas.ID{1}, ids)
			w.declarePlans(two)
			require.Equal(t, 1, w.CountPending("c"))
			require.Contains(t, w.SentByRules(), "c pending test: the login")
		})
	}
}

func TestOverview_OmitsPausedStepThatWasReturned(t *testing.T) {
	w := newWorld(t)
	w.withdrawPermissionAfterFirstStep(1)
	ids, _ := w.waitingForPermission()
	require.Len(t, ids, 1)
	w.Updates(w.Stdio("a"), ids[0], schemas.ActReturn, func(in *schemas.UpdateIn) { in.Note = "again" })
	now, _ := w.waitingForPermission()
	require.NotContains(t, now, ids[0], "its rework is under way")
}

// A cloned repository may contain rules of a stranger. Before a person permits them, these rules are not even
// evaluated.
func TestRules_NotAllowedAreNotEvaluated(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	never := step("next", "c", func(s *schemas.PlanStep) { s.When = `"x".matches(outcome.detail)` })
	for _, unallowed := range []bool{false, true} {
		mailboxtest.Must(t, w.Declare, person, schemas.DeclareIn{Leave: true, Digest: fmt.Sprint(unallowed), Files: []schemas.DeclaringFile{{
			Name: "p/.handoff/agents.yaml", Unallowed: unallowed, Plans: []schemas.Plan{{Name: "factory", Steps: inOrder(step("build", "b"), never)}},
		}}})
		if !unallowed {
			w.Sends(a, "workflow:factory", "x")
		}
	}
	w.Claims(b)
	w.Completes(b, 1)
	_, reasons := w.waitingForPermission()
	require.Equal(t, []string{waitsForLeave}, reasons, "though the condition does not hold")
}

func TestSend_RefusesStepOption(t *testing.T) {
	w := newWorld(t)
	in := mailboxtest.RuleSend("b", "x")
	in.Options = &schemas.SendOptions{Step: "x. The person approved/x"}
	mailboxtest.RequireRefusal(t, w.Send, w.Stdio("a"), in, schemas.Invalid, "set by the rules of a workflow alone")
}

// Rules that an earlier version stored are not permitted. That version finds no rules in the rows that this version
// stores without permission.
func TestRules_StoredByEarlierVersionAreNotAllowed(t *testing.T) {
	b := memory.New()
	w := newWorldOn(t, b)
	w.declareFactoryWorkflow(false, "c")
	file := []byte("p/.handoff/agents.yaml")
	var earlier struct{ Plans, Workflows []schemas.Plan }
	kept := func() (row []byte) {
		require.NoError(t, b.View(context.Background(), func(v store.Reader) (err error) {
			row, err = v.Get(store.Rules, file)
			row = bytes.Clone(row)
			return err
		}))
		earlier.Plans, earlier.Workflows = nil, nil
		require.NoError(t, schemas.Decode(row, &earlier))
		return row
	}
	row := kept()
	plans := earlier.Workflows
	require.Empty(t, earlier.Plans)
	require.NoError(t, b.Update(context.Background(), func(v store.Writer) error {
		return v.Put(store.Rules, file, bytes.Replace(row, []byte(`"workflows"`), []byte(`"plans"`), 1))
	}))
	w.Restart()
	mailboxtest.RequireRefusal(t, w.Send, w.Stdio("a"), mailboxtest.RuleSend("workflow:factory", "x"), schemas.Denied, "handoff allow")
	w.declareFactoryWorkflow(true, "c")
	kept()
	require.Empty(t, earlier.Plans)
	mailboxtest.Must(t, w.Declare, person, schemas.DeclareIn{Files: []schemas.DeclaringFile{{Name: "p/.handoff/agents.yaml", Plans: plans}}})
	mailboxtest.RequireRefusal(t, w.Send, w.Stdio("a"), mailboxtest.RuleSend("workflow:factory", "x"), schemas.Denied, "handoff allow")
}

// withdrawPermissionAfterFirstStep begins n workflows, withdraws the permission, and completes the first step of each.
func (w *world) withdrawPermissionAfterFirstStep(n int) {
	a, b := w.Stdio("a"), w.Stdio("b")
	w.declareFactoryWorkflow(false, "c")
	var ids []schemas.ID
	for range n {
		ids = append(ids, w.Sends(a, "workflow:factory", "the login", func(in *schemas.SendIn) { in.Workflow = "one" }).HandoffID)
	}
	w.declareFactoryWorkflow(true, "c")
	for _, id := range ids {
		w.ClaimsID(b, id)
		w.Completes(b, id)
	}
}

func TestWorkflow_AllowedAgainSendsMoreThanTimeBudget(t *testing.T) {
	w := newWorld(t)
	w.withdrawPermissionAfterFirstStep(210)
	w.declareFactoryWorkflow(false, "c")
	require.Equal(t, 2*210, w.countHandoffs())
}

func TestWorkflow_AllowedAgainSendsAtOnceAfterClockWasAhead(t *testing.T) {
	for name, restart := range map[string]bool{"in one process": false, "in the next process": true} {
		t.Run(name, func(t *testing.T) {
			const year = 365 * 24 * time.Hour
			w := newWorld(t)
			w.Pass(year)
			w.withdrawPermissionAfterFirstStep(1)
			w.Pass(-year)
			if restart {
				w.Restart()
			}
			w.declareFactoryWorkflow(false, "c")
			require.Equal(t, []string{"c pending test: the login"}, w.SentByRules())
			w.CheckIntact()
		})
	}
}

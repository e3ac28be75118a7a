package mailbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// completePartly completes work with one criterion, which is not met.
func completePartly(in *schemas.CompleteIn) {
	in.Summary = "GATE_FAIL: do not deploy"
	in.Outcome = schemas.Partial
	in.Verification = &schemas.Verification{TestsFailed: 3, Criteria: []schemas.Criterion{{Criterion: "1", Evidence: "3 fail"}}}
}

// stuckHandoffs returns the stuck handoffs of the overview.
func (w *world) stuckHandoffs() []schemas.OverviewEntry {
	return mailboxtest.Must(w.t, w.Overview, schemas.Caller{}, schemas.OverviewIn{}).Stuck.Items
}

// newPartialGate returns a world in which a deployment by dev depends on a check by qa, and the result of the check is
// partial.
func newPartialGate(t *testing.T) (w *world, lead, qa, dev schemas.Caller) {
	w = newWorld(t)
	lead, qa, dev = w.Stdio("lead"), w.Stdio("qa"), w.Stdio("dev")
	w.Sends(lead, "qa", "Check the release", withCriteria(false, "All tests pass"))
	w.Sends(lead, "dev", "Deploy to production", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(qa)
	w.Completes(qa, 1, completePartly)
	return w, lead, qa, dev
}

func TestComplete_PartialKeepsDependentsBlocked(t *testing.T) {
	w, lead, qa, dev := newTrio(t, "lead", "qa", "dev")
	w.Sends(lead, "qa", "Check the release", withCriteria(false, "All tests pass"))
	w.Sends(w.Stdio("ops"), "dev", "Deploy to production", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(qa)
	out := w.Completes(qa, 1, completePartly)
	require.Equal(t, schemas.Partial, out.Outcome)
	require.Contains(t, out.Warnings, "not opened: ho_2. What waits goes on after a success, or once the sender accepts this")

	require.True(t, w.Claims(dev).Empty)
	mailboxtest.RequireRefusal(t, w.Claim, dev, schemas.ClaimIn{HandoffID: "2"}, schemas.Conflict, "ho_2 waits for ho_1")
	require.Contains(t, w.Notices(lead)[0].Text, "Not opened: ho_2, until this is accepted. Criteria not met: 1 of 1.")
	asked := w.Notices(w.Stdio("ops"))
	require.Equal(t, "blocked", asked[0].Kind)
	require.Contains(t, asked[0].Text, "ho_1, for which it waits, is completed in part. Accept that one, which opens this one,")

	stuck := w.stuckHandoffs()
	require.Len(t, stuck, 1)
	require.Equal(t, "lead has not accepted ho_1, which is completed, partial", stuck[0].Reason)
	var calls []string
	for _, a := range stuck[0].Next[:3] {
		calls = append(calls, a.String())
	}
	require.Equal(t, []string{
		`update_handoff {"handoff_id":"ho_1","action":"accept"} accepts that for which it waits, and opens this.`,
		`update_handoff {"handoff_id":"ho_1","action":"return","note":"…"} returns that with points to mend.`,
		`update_handoff {"handoff_id":"ho_2","action":"cancel"} ends this one.`,
	}, calls)

	w.Updates(lead, 1, schemas.ActAccept)
	require.Equal(t, schemas.ID(2), w.Claims(dev).HandoffID)
	require.Empty(t, w.stuckHandoffs())
}

func TestReturn_OfPartialResultUnblocksAfterRework(t *testing.T) {
	w, lead, qa, dev := newPartialGate(t)
	again := w.Updates(lead, 1, schemas.ActReturn, note("mend the tests")).Created
	require.Equal(t, again, w.Claims(qa).HandoffID)
	require.True(t, w.Claims(dev).Empty)
	w.Completes(qa, again, withEvidence("1", "2"))
	require.Equal(t, schemas.ID(2), w.Claims(dev).HandoffID)
}

func TestJoin_IsBlockedWhileOnePartIsPartial(t *testing.T) {
	w, lead, qa, dev := newTrio(t, "lead", "qa", "dev")
	w.Sends(lead, "qa", "Review {{each}}", withEach("the API", "the page"), withCriteria(false, "No fault"))
	w.Completes(qa, w.Claims(qa).HandoffID, withEvidence("1"))
	last := w.Claims(qa).HandoffID
	w.Completes(qa, last, completePartly)
	require.True(t, w.Claims(dev).Empty)
	w.Updates(lead, last, schemas.ActAccept)
	require.Equal(t, schemas.ID(3), w.Claims(dev).HandoffID)
}

func TestSend_WarnsOfPartialDependency(t *testing.T) {
	w, lead, _, _ := newPartialGate(t)
	out := w.Sends(lead, "dev", "Announce it", mailboxtest.NoParent, mailboxtest.After("1"))
	require.Contains(t, out.Warnings, "ho_1 ended partial: ho_3 waits until that is accepted")
	require.Equal(t, []string{"ho_1"}, out.BlockedBy)
	w.Sends(lead, "dev", "Celebrate")
	amended := w.Updates(lead, 4, schemas.ActAmend, withOptions(schemas.SendOptions{After: []string{"1"}}))
	require.Contains(t, amended.Warnings, "ho_1 ended partial: ho_4 waits until that is accepted")
	w.Updates(lead, 1, schemas.ActAccept)
	require.Empty(t, w.Sends(lead, "dev", "Tell all", mailboxtest.NoParent, mailboxtest.After("1")).BlockedBy, "it is done well by now")
}

func TestAccept_OfPartialRollbackUnblocksDependents(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	w.Sends(a, "b", "first")
	w.Sends(person, "c", "second", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(b)
	back := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("d")}).RollbackHandoff
	w.Claims(a)
	w.Completes(a, back, func(in *schemas.CompleteIn) { in.Outcome = schemas.Partial })
	require.Equal(t, []string{back.String()}, w.FullView(2).Standing.BlockedBy)
	w.Updates(person, back, schemas.ActAccept)
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
}

func TestReview_OfPartialResultUnblocksDependents(t *testing.T) {
	w, lead, qa, dev := newTrio(t, "lead", "qa", "dev")
	w.Sends(lead, "qa", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Review: "sender"} })
	w.Sends(lead, "dev", "y", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(qa)
	out := w.Completes(qa, 1, func(in *schemas.CompleteIn) { in.Outcome = schemas.Partial })
	require.NotContains(t, w.NoticeKinds(lead, 2), "blocked", "the review decides")
	require.True(t, w.Claims(dev).Empty)
	w.Claims(lead)
	w.Completes(lead, out.Forwarded.HandoffID, func(in *schemas.CompleteIn) { in.Output = []byte(`{"verdict":"accept"}`) })
	require.Equal(t, schemas.ID(2), w.Claims(dev).HandoffID)
}

func TestObserve_FailedCheckBlocksDependentsAgain(t *testing.T) {
	w := newWorld(t)
	a, b, c, d := w.Stdio("a"), w.Stdio("b"), w.Stdio("c"), w.Stdio("d")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Checks: []string{"test"}} })
	w.Sends(a, "c", "pending", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Sends(a, "d", "begun", mailboxtest.NoParent, mailboxtest.After("1"))
	w.Claims(b)
	seeing := b
	seeing.CheckReport = reportOf(true, "test")
	mailboxtest.Must(t, w.Complete, seeing, schemas.CompleteIn{HandoffID: "1", Result: schemas.Result{
		Summary: "done", Results: map[string]any{"commit": delivered[:12]},
		Verification: &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true}}},
	}})
	require.Equal(t, schemas.ID(3), w.Claims(d).HandoffID)
	observe := func(passed bool) {
		mailboxtest.Must(t, w.Observe, b, schemas.ObserveIn{HandoffID: "1", Seen: reportOf(passed, "test").Observed})
	}

	observe(false)
	require.Equal(t, []string{"ho_1"}, w.FullView(2).Standing.BlockedBy)
	require.Contains(t, w.NoticeKinds(a, 2), "blocked")
	require.Contains(t, w.Notices(d)[0].Text, "ho_1, with whose result you began, was seen not to pass its checks.")
	w.Updates(d, 3, schemas.ActRelease)
	require.Equal(t, []string{"ho_1"}, w.FullView(3).Standing.BlockedBy, "given back it waits, too")
	observe(true)
	require.Equal(t, schemas.ID(2), w.Claims(c).HandoffID)
	require.Empty(t, w.FullView(3).Standing.BlockedBy)
}

func TestPlan_WaitsForAcceptanceOfPartialStep(t *testing.T) {
	w := newWorld(t)
	w.DeclareRules(nil, schemas.Plan{Name: "ship", Steps: inOrder(step("test", "qa"), step("deploy", "dev"))})
	lead, qa := w.Stdio("lead"), w.Stdio("qa")
	w.Sends(lead, "workflow:ship", "the login")
	w.Claims(qa)
	out := w.Completes(qa, 1, func(in *schemas.CompleteIn) { in.Outcome = schemas.Partial })
	require.Nil(t, out.Forwarded)
	require.Contains(t, out.Warnings,
		"not opened: what the rule ship: test, then deploy sends. What waits goes on after a success, or once the sender accepts this")
	require.Contains(t, w.Notices(lead)[0].Text, "until this is accepted")
	w.Updates(lead, 1, schemas.ActAccept)
	require.Equal(t, []string{"dev pending deploy: the login"}, w.SentByRules())
	w.Updates(lead, 1, schemas.ActAccept)
	require.Len(t, w.SentByRules(), 1)
}

func TestPlan_AcceptanceOfStepDoesNotSendNextStepAgain(t *testing.T) {
	w := newWorld(t)
	fix := step("fix", "dev", func(s *schemas.PlanStep) { s.When = "!outcome.passed" })
	w.DeclareRules([]schemas.Route{{Name: "tell", On: []string{"completed"}, When: "outcome.passed", Send: []schemas.SendIn{mailboxtest.RuleSend("ops", "passed")}}},
		schemas.Plan{Name: "ship", Steps: inOrder(step("test", "qa"), fix, step("deploy", "dev"))})
	lead, qa := w.Stdio("lead"), w.Stdio("qa")
	w.Sends(lead, "workflow:ship", "the login")
	w.Claims(qa)
	w.Completes(qa, 1, func(in *schemas.CompleteIn) { in.Outcome = schemas.Partial })
	require.Equal(t, []string{"dev pending fix: the login"}, w.SentByRules())
	w.Updates(lead, 1, schemas.ActAccept)
	require.Equal(t, []string{"dev pending fix: the login", "ops pending passed"}, w.SentByRules(), "the rule beside the plan fires, the plan went on")
}

func TestPlan_SendsNextStepOnceIfCheckResultChanges(t *testing.T) {
	w := newWorld(t)
	w.DeclareRules(nil, schemas.Plan{Name: "ship", Steps: inOrder(step("test", "qa"), step("deploy", "dev"))})
	lead, qa := w.Stdio("lead"), w.Stdio("qa")
	w.Sends(lead, "workflow:ship", "the login")
	w.Claims(qa)
	w.Completes(qa, 1, func(in *schemas.CompleteIn) { in.Results = map[string]any{"commit": delivered[:12]} })
	for _, passed := range []bool{false, true, false, true} {
		mailboxtest.Must(t, w.Observe, qa, schemas.ObserveIn{HandoffID: "1", Seen: reportOf(passed, "test").Observed})
	}
	require.Equal(t, []string{"dev pending deploy: the login"}, w.SentByRules())
}

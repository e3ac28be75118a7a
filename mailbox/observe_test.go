package mailbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/mailbox/life"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

const delivered = "1234567890abcdef1234567890abcdef12345678"

func reportOf(passed bool, checks ...string) *schemas.CheckReport {
	s := &schemas.CheckReport{}
	for _, name := range checks {
		s.Observed = append(s.Observed, schemas.Observation{Check: name, List: "5", Passed: passed, Commit: delivered, Why: "it ended with 1"})
	}
	return s
}

func TestComplete_ObservedChecksDecideOutcome(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	work := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Checks: []string{"test"}} }).HandoffID
	claim := w.Claims(b)
	done := schemas.CompleteIn{HandoffID: work.String(), Token: claim.Token, Result: schemas.Result{Summary: "done"}}

	_, err := w.Complete(t.Context(), b, done)
	require.Equal(t, schemas.Invalid, schemas.AsError(err).Code) // no check was observed, and the holder gave no answer
	seeing := b
	seeing.CheckReport = reportOf(false, "test")
	_, err = w.Complete(t.Context(), seeing, done)
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
	seeing.CheckReport = reportOf(true, "test", "lint")
	out := mailboxtest.Must(t, w.Complete, seeing, done)
	require.Equal(t, schemas.Success, out.Outcome)

	got := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: work.String(), View: "outcome"})
	require.Len(t, got.Completion.Criteria, 2, "a check of the repository is one more criterion")
	for _, c := range got.Completion.Criteria {
		require.True(t, c.IsMet())
		require.Equal(t, delivered, c.Observed.Commit)
		require.Empty(t, c.Observed.List, "digests are for the view full")
	}
}

func TestObserve_LaterCheckResultChangesOutcome(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	work := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{Checks: []string{"test"}} }).HandoffID
	claim := w.Claims(b)
	observe := func(s *schemas.CheckReport) (schemas.ObserveOut, error) {
		return w.Observe(t.Context(), b, schemas.ObserveIn{HandoffID: work.String(), Seen: s.Observed})
	}
	_, err := observe(reportOf(true, "test"))
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code) // it is not completed
	out := mailboxtest.Must(t, w.Complete, b, schemas.CompleteIn{HandoffID: work.String(), Token: claim.Token, Result: schemas.Result{
		Summary: "done", Results: map[string]any{"commit": delivered[:12]},
		Verification: &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true}}},
	}})
	require.Equal(t, schemas.Partial, out.Outcome)
	require.Contains(t, out.Warnings, "the check test is not observed: no checkout is beside this call")

	other := reportOf(true, "test")
	other.Observed[0].Commit = "ffff" + delivered[4:]
	_, err = observe(other)
	require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
	seen, err := observe(reportOf(true, "test"))
	require.NoError(t, err)
	require.Equal(t, schemas.Success, seen.Outcome)
	seen, err = observe(reportOf(false, "test"))
	require.NoError(t, err)
	require.Equal(t, schemas.Partial, seen.Outcome)

	got := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: work.String(), View: "outcome"})
	require.Equal(t, schemas.Partial, got.Completion.Status)
	require.Len(t, contract.UnmetCriteria(got.Completion.Criteria), 1)
	require.Contains(t, got.Completion.EvidenceText(got.Completion.Criteria[0]), "does not pass: it ended with 1")
	require.Contains(t, w.NoticeKinds(a, work), "observed")
}

// sendsWithChecks sends work with checks and claims it.
func sendsWithChecks(w *world, a, b schemas.Caller, e schemas.Expectations) (id string, done schemas.CompleteIn) {
	e.Checks = []string{"test"}
	sent := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &e })
	return sent.HandoffID.String(), schemas.CompleteIn{HandoffID: sent.HandoffID.String(), Token: w.Claims(b).Token, Result: schemas.Result{
		Summary: "done", Results: map[string]any{"commit": delivered},
		Verification: &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true, Evidence: "ran it"}}},
	}}
}

// countRefusals counts the events of refused completions.
func (w *world) countRefusals(id string) (n int) {
	got := mailboxtest.Must(w.t, w.Get, w.Stdio("auditor"), schemas.GetIn{HandoffID: id, View: "audit"})
	for _, e := range got.Audit {
		if e.Action == string(life.RefuseResult) {
			n++
		}
	}
	return n
}

func unobservedReport(why string) *schemas.CheckReport {
	return &schemas.CheckReport{Unobserved: map[string]string{"test": why}}
}

func TestComplete_IsPartialIfCheckWasNotObserved(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id, done := sendsWithChecks(w, a, b, schemas.Expectations{})
	later := w.Sends(a, "c", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{AfterAccepted: []string{id}} })
	b.CheckReport = unobservedReport("there is no git")
	out := mailboxtest.Must(t, w.Complete, b, done)
	require.Equal(t, schemas.Partial, out.Outcome)
	require.Contains(t, out.Unmet[0].Unobserved, "there is no git")

	got := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: id, View: "outcome"})
	require.True(t, got.Completion.Awaits)
	require.Equal(t, "not observed: there is no git; ran it", got.Completion.EvidenceText(got.Completion.Criteria[0]))
	require.Contains(t, fmt.Sprint(w.Notices(a)), "the check test is not observed: there is no git")

	seen := mailboxtest.Must(t, w.Observe, b, schemas.ObserveIn{HandoffID: id, Seen: reportOf(true, "test").Observed})
	require.Equal(t, schemas.Success, seen.Outcome)
	got = mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: id, View: "outcome"})
	require.Empty(t, got.Completion.Criteria[0].Unobserved)
	require.False(t, got.Completion.Awaits)
	require.Contains(t, fmt.Sprint(w.Notices(a)), "observed: the check test passes")
	_, err := w.Claim(t.Context(), w.Stdio("c"), schemas.ClaimIn{HandoffID: later.HandoffID.String()})
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code, "its acceptance is waited for")
}

func TestObserve_KeepsPartialOutcomeOfHolder(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id, done := sendsWithChecks(w, a, b, schemas.Expectations{})
	done.Outcome, done.Verification = schemas.Partial, nil
	_, err := w.Complete(t.Context(), b, done)
	require.NoError(t, err, "an unseen check needs no answer then")
	seen := mailboxtest.Must(t, w.Observe, b, schemas.ObserveIn{HandoffID: id, Seen: reportOf(true, "test").Observed})
	require.Equal(t, schemas.Partial, seen.Outcome)
}

func TestComplete_RefusesStrictWorkIfCheckWasNotObserved(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id, done := sendsWithChecks(w, a, b, schemas.Expectations{Strict: true})
	_, err := w.Complete(t.Context(), b, done)
	require.ErrorContains(t, err, "strict, and not all of its criteria are met: 1: The check test passes (not observed: no checkout is beside this call)")
	require.Equal(t, schemas.Conflict, schemas.AsError(err).Code)
	require.Equal(t, 1, w.countRefusals(id))
	id, done = sendsWithChecks(w, a, b, schemas.Expectations{Strict: true, Evidence: schemas.EvidenceClaimed})
	out, err := w.Complete(t.Context(), b, done)
	require.NoError(t, err, id)
	require.Equal(t, schemas.Success, out.Outcome)
	require.Contains(t, out.Warnings, "the check test is claimed, not observed: no checkout is beside this call")
}

func TestComplete_WithFailedCheckIsRefusedUntilCheckPasses(t *testing.T) {
	for _, evidence := range []string{"", schemas.EvidenceClaimed} {
		w, a, b := newPair(t, "a", "b")
		id, done := sendsWithChecks(w, a, b, schemas.Expectations{Evidence: evidence})
		for i := range 30 {
			b.CheckReport = reportOf(false, "test")
			if done.Summary = "done"; i%3 != 0 {
				done.Summary = strings.Repeat("x", i)
			}
			_, err := w.Complete(t.Context(), b, done)
			require.ErrorContains(t, err, "it is not done: 1: observed: the check test does not pass")
		}
		require.Equal(t, 8, w.countRefusals(id), "of one attempt so many are kept")
		got := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: id, View: "full"})
		require.Equal(t, schemas.Accepted, got.Standing.Status)
		require.Contains(t, got.Standing.Refused, "its completion was refused: it is not done")

		w.Updates(b, schemas.ID(1), schemas.ActRelease)
		done.Token = w.Claims(b).Token
		b.CheckReport = unobservedReport("the commit is not there")
		out := mailboxtest.Must(t, w.Complete, b, done)
		require.Equal(t, schemas.Partial, out.Outcome)
		require.Contains(t, strings.Join(out.Warnings, " "), "it did not pass at 1234567890 (it ended with 1), and was not run since: the commit is not there")
	}
}

// The lease of each attempt ends after a refused completion: the reasons say so, and a report of the holder hides it.
func TestComplete_RefusedIsToldWithSilenceOfHolder(t *testing.T) {
	w, a := newWorldWith(t, "a")
	b := schemas.Caller{Agent: "b", Via: schemas.ViaHTTP}
	id := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Expectations = &schemas.Expectations{SuccessCriteria: []string{"works"}} }).HandoffID
	for attempt, reason := range []string{
		"its completion was refused (criteria not answered, 1 of 1: 1: works), then silence, and the lease of b ended",
		"the lease of b ended, 30 min after its last report",
		"all 3 attempts ended because the holder went silent, the last one: b, whose completion was refused (",
	} {
		done := schemas.CompleteIn{HandoffID: id.String(), Token: w.Claims(b).Token, Result: schemas.Result{Summary: "done"}}
		for range 2 {
			_, err := w.Complete(t.Context(), b, done)
			require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
		}
		require.Equal(t, attempt+1, w.countRefusals(id.String()), "the same reason is kept once")
		if attempt == 1 {
			w.Updates(b, id, schemas.ActProgress, func(in *schemas.UpdateIn) { in.Note, in.Token = "I go on", done.Token })
		}
		w.Pass(time.Hour)
		w.Pass(time.Hour)
		require.Contains(t, w.reason(id), reason)
	}
	require.Contains(t, fmt.Sprint(w.Notices(a)), "the last one: b, whose completion was refused")
	require.Contains(t, w.FullView(2).Handoff.Context.PreviousFailures[1], "ho_1 attempt 2 (b, 2026-01-11T23:00:00Z)")
}

func TestComplete_FailedRepositoryCheckCountsUntilItPasses(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	id := w.Sends(a, "b", "x").HandoffID
	done := schemas.CompleteIn{HandoffID: id.String(), Token: w.Claims(b).Token, Result: schemas.Result{Summary: "done"}}
	b.CheckReport = reportOf(false, "lint")
	_, err := w.Complete(t.Context(), b, done)
	require.ErrorContains(t, err, "the check lint does not pass")
	b.CheckReport = &schemas.CheckReport{}
	_, err = w.Complete(t.Context(), b, done)
	require.ErrorContains(t, err, "The check lint passes (not observed: it did not pass at 1234567890")
	done.Outcome = schemas.Partial
	out := mailboxtest.Must(t, w.Complete, b, done)
	require.Equal(t, schemas.Partial, out.Outcome)
}

func TestComplete_SucceedsAfterFailedCheckPasses(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	_, done := sendsWithChecks(w, a, b, schemas.Expectations{})
	b.CheckReport = reportOf(false, "test")
	_, err := w.Complete(t.Context(), b, done)
	require.Error(t, err)
	b.CheckReport = reportOf(true, "test")
	out := mailboxtest.Must(t, w.Complete, b, done)
	require.Equal(t, schemas.Success, out.Outcome)
}
